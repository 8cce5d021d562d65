/** Compares two trees. Runs no code of the repository, and reads no file of a work tree. */

import { type Bytes, toDisplay } from '../bytes.ts'
import { splitNul } from './list-changes.ts'
import type { ObjectId } from './refs.ts'
import type { GitLocation, RunGit } from './run-git.ts'

export interface TreePair {
  readonly git: RunGit
  readonly at: GitLocation
  readonly before: ObjectId
  readonly after: ObjectId
}

/** With line counts, unless the file is binary. */
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
}: TreePair): Promise<readonly string[]> {
  const { stdout } = await git({
    at,
    command: 'diff-tree',
    options: ['-r', '-z', '--name-only', '--no-renames', '--no-ext-diff'],
    operands: [before, after],
  })
  return displayPaths(splitNul(stdout))
}

export const displayPaths = (paths: readonly Bytes[]): readonly string[] =>
  paths.map((path) => toDisplay(path)).toSorted()

export async function changedLines({
  git,
  at,
  before,
  after,
}: TreePair): Promise<readonly FileChange[]> {
  const { stdout } = await git({
    at,
    command: 'diff-tree',
    options: ['-r', '-z', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv'],
    operands: [before, after],
  })
  return splitNul(stdout).map((line) => {
    const [added = '', removed = '', ...path] = line.split('\t')
    const shown = toDisplay(path.join('\t'))
    if (added === '-') return { path: shown }
    return { path: shown, added: Number(added), removed: Number(removed) }
  })
}

/** Truncated at `bytesMax`. Limited to `paths`, if there are any, including the content of folders. */
export async function patchBetween(
  { git, at, before, after }: TreePair,
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
  return `${stdout.toString('utf8', 0, bytesMax)}\n[${left} more bytes]\n`
}
