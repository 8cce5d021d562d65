/** Asks a program for its version, in the sandbox and with a short time limit, because it is unknown. */

import { rm } from 'node:fs/promises'
import { type Commands } from '../../engine/index.ts'
import { findCommandMounts, type Sandbox } from '../../sandbox/index.ts'
import { makeTemporaryFolder } from '../../system/index.ts'

const timeoutMs = 20_000
const versionForm = /(?<![\w.])v?(\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.]{1,40})?)(?![\w.])/

/** Runs it in an empty temporary folder. */
export async function askVersion(
  command: readonly string[],
  sandbox: Pick<Sandbox, 'commands' | 'report'>,
): Promise<string | undefined> {
  const workspace = await makeTemporaryFolder('loopwright-version-')
  try {
    const path = process.env['PATH'] ?? ''
    const isSandboxed = sandbox.report.tier !== 'none'
    const readOnly = isSandboxed ? findCommandMounts(command, { cwd: workspace, path }) : []
    return await askWith(command, sandbox.commands({ workspace, readOnly }))
  } catch {
    return undefined
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}

/** Undefined: it does not print a version. */
export async function askWith(
  [program = '', ...before]: readonly string[],
  commands: Commands,
): Promise<string | undefined> {
  try {
    const asked = { program, args: [...before, '--version'], timeoutMs, outputBytesMax: 4096 }
    const { stdout, exitCode } = await commands.run(asked, new AbortController().signal)
    return exitCode === 0 ? versionForm.exec(stdout)?.[1] : undefined
  } catch {
    return undefined
  }
}
