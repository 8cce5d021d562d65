/**
 * Packages of Node that were installed for the clean place, copied into a worktree that has none: programs
 * look for them beside the files, and the checkout had nothing to carry over.
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

/** Resolves with the folders of packages that the workspace has now. */
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
    // Half a folder would be worse than none; without it the checks say what is missing.
    if (exitCode === 0) there.push(to)
    else await rm(target, { recursive: true, force: true })
  }
  return there
}

/** No part of the way is a link: what is copied stays in the worktree. */
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
