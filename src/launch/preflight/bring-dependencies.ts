/**
 * Copies the installed `node_modules` into a worktree that has none: Node looks for packages beside the files,
 * and the checkout had nothing to carry over.
 */

import { lstatSync } from 'node:fs'
import { lstat, mkdir, rm, writeFile } from 'node:fs/promises'
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

/** In a folder that is being copied: a copy that was interrupted is made again. */
const copyingMark = '.loopwright-copying'

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
    const isWhole = isThere(target) && !isPartial(target)
    if (isWhole || (await copy(from, target, signal))) there.push(to)
  }
  return there
}

/** A partial copy would be worse than none; without it the checks report what is missing. */
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

/** A link that leads nowhere is there, too: it is one of the files. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Nothing is removed through a link. */
const isPartial = (target: string): boolean =>
  lstatSync(target).isDirectory() && isThere(join(target, copyingMark))

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
