/**
 * Copies the installed `node_modules` into a worktree that has none: Node looks for packages beside the files,
 * and the checkout had nothing to carry over.
 */

import { existsSync } from 'node:fs'
import { lstat, mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Signal } from '../../loop/index.ts'
import { createPlainCommands, findProgram } from '../../sandbox/index.ts'

export interface InstalledFolder {
  /** Where it is kept. */
  readonly from: string
  /** Where it belongs, from the top of the files. */
  readonly to: string
}

const copyMsMax = 600_000

/** Resolves with the `node_modules` folders that the workspace has now. */
export async function bringDependencies(
  folders: readonly InstalledFolder[],
  workspace: string,
  signal: Signal,
): Promise<readonly string[]> {
  const there: string[] = []
  for (const { from, to } of folders) {
    const target = join(workspace, to)
    if (basename(to) !== 'node_modules' || !(await isInside(workspace, dirname(to)))) continue
    if (existsSync(target)) {
      there.push(to)
      continue
    }
    await mkdir(dirname(target), { recursive: true })
    const program = findProgram('cp') ?? 'cp'
    const args = ['-RPp', '--reflink=auto', '--', from, target]
    const limit = AbortSignal.timeout(copyMsMax)
    const { exitCode } = await createPlainCommands().run(
      {
        program,
        args: process.platform === 'linux' ? args : ['-RPp', '--', from, target],
        cwd: '/',
      },
      limit,
    )
    signal.throwIfAborted()
    // A partial copy would be worse than none; without it the checks report what is missing.
    if (exitCode === 0) there.push(to)
    else await rm(target, { recursive: true, force: true })
  }
  return there
}

/** No component of the path is a link, so the copy stays in the worktree. */
async function isInside(workspace: string, folder: string): Promise<boolean> {
  let path = workspace
  for (const part of folder.split('/').filter((one) => one !== '' && one !== '.')) {
    if (part === '..') return false
    path = join(path, part)
    const found = await lstat(path).catch(() => undefined)
    if (found === undefined) return true
    if (!found.isDirectory()) return false
  }
  return true
}
