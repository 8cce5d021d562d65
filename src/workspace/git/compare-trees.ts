/** What changed between two trees. Nothing of the repository is run for it, and no file is read. */

import { show } from '../bytes.ts'
import { split } from './list-changes.ts'
import type { ObjectId } from './refs.ts'
import type { GitPlace, RunGit } from './run-git.ts'

export interface Compared {
  readonly git: RunGit
  readonly at: GitPlace
  readonly before: ObjectId
  readonly after: ObjectId
}

/** Lines, unless it is binary. */
export interface FileChange {
  readonly path: string
  readonly added?: number
  readonly removed?: number
}

export const patchBytesMax: number = 4 * 1024 * 1024

export async function changedPaths({
  git,
  at,
  before,
  after,
}: Compared): Promise<readonly string[]> {
  const { stdout } = await git({
    at,
    command: 'diff-tree',
    options: ['-r', '-z', '--name-only', '--no-renames', '--no-ext-diff'],
    operands: [before, after],
  })
  return split(stdout)
    .map((path) => show(path))
    .toSorted()
}

export async function changedLines({
  git,
  at,
  before,
  after,
}: Compared): Promise<readonly FileChange[]> {
  const { stdout } = await git({
    at,
    command: 'diff-tree',
    options: ['-r', '-z', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv'],
    operands: [before, after],
  })
  return split(stdout).map((line) => {
    const [added = '', removed = '', ...path] = line.split('\t')
    const shown = show(path.join('\t'))
    if (added === '-') return { path: shown }
    return { path: shown, added: Number(added), removed: Number(removed) }
  })
}

/** Cut off at `bytesMax`. Of these paths, if some are named: a path means itself, and all that is in it. */
export async function patchBetween(
  { git, at, before, after }: Compared,
  bytesMax: number = patchBytesMax,
  paths: readonly string[] = [],
): Promise<string> {
  const { stdout } = await git({
    at,
    command: 'diff-tree',
    options: ['-r', '-p', '--no-color', '--no-ext-diff', '--no-textconv', '--find-renames'],
    operands: [before, after, ...(paths.length === 0 ? [] : ['--', ...paths])],
    outputBytesMax: 256 * 1024 * 1024,
  })
  if (stdout.length <= bytesMax) return stdout.toString('utf8')
  const left = stdout.length - bytesMax
  return `${stdout.toString('utf8', 0, bytesMax)}\n[${left} bytes more]\n`
}
