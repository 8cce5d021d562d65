/** Asks a program for its version, inside the sandbox and for a short time: nothing else is known of it. */

import { rm } from 'node:fs/promises'
import { type Commands } from '../../engine/index.ts'
import { commandMounts, type Sandbox } from '../../sandbox/index.ts'
import { makeTemporaryFolder } from '../../system/index.ts'

const timeoutMs = 20_000
const versionForm = /(?<![\w.])v?(\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.]{1,40})?)(?![\w.])/

/** In an empty folder of its own. */
export async function askVersion(
  command: readonly string[],
  sandbox: Pick<Sandbox, 'commands' | 'report'>,
): Promise<string | undefined> {
  const workspace = await makeTemporaryFolder('loopwright-version-')
  try {
    const path = process.env['PATH'] ?? ''
    const isWalled = sandbox.report.tier !== 'none'
    const readOnly = isWalled ? commandMounts(command, { cwd: workspace, path }) : []
    return await askWith(command, sandbox.commands({ workspace, readOnly }))
  } catch {
    return undefined
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}

/** Undefined when it does not say. */
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
