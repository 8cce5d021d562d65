/**
 * Copies the installed `node_modules` into a worktree without one: Node looks for packages next to the files,
 * and the user's checkout had none to carry over.
 */

import { lstatSync } from 'node:fs'
import { lstat, mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Signal } from '../../loop/index.ts'
import { createPlainCommands, findProgram } from '../../sandbox/index.ts'

export interface InstalledFolder {
  /** Its absolute path. */
  readonly from: string
  /** Its path in the workspace. */
  readonly to: string
}

const copyMsMax = 600_000

/** A file in a folder that is being copied: an interrupted copy is repeated. */
const copyingMark = '.loopwright-copying'

/** Resolves with the `node_modules` folders that the workspace has now. */
export async function copyDependencies(
  folders: readonly InstalledFolder[],
  workspace: string,
  signal: Signal,
): Promise<readonly string[]> {
  const present: string[] = []
  for (const { from, to } of folders) {
    const target = join(workspace, to)
    if (basename(to) !== 'node_modules' || !(await isInside(workspace, dirname(to)))) continue
    const isComplete = exists(target) && !isPartial(target)
    if (isComplete || (await copy(from, target, signal))) present.push(to)
  }
  return present
}

/** Removes a partial copy, which would be worse than none: without it, the checks report what is missing. */
async function copy(from: string, target: string, signal: Signal): Promise<boolean> {
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  const mark = join(target, copyingMark)
  await writeFile(mark, '')
  const program = findProgram('cp') ?? 'cp'
  const sharing = process.platform === 'linux' ? ['--reflink=auto'] : []
  const args = ['-RPp', ...sharing, '--', `${from}/.`, target]
  const command = { program, args, cwd: '/', timeoutMs: copyMsMax }
  const { exitCode } = await createPlainCommands().run(command, signal)
  await rm(exitCode === 0 ? mark : target, { recursive: true, force: true })
  signal.throwIfAborted()
  return exitCode === 0
}

/** True also for a broken link, which is one of the files. */
const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Does not follow links, so that nothing is removed through one. */
const isPartial = (target: string): boolean =>
  lstatSync(target).isDirectory() && exists(join(target, copyingMark))

/** No part of the path is a link, so the copy stays in the worktree. */
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
