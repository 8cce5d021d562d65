/**
 * What may differ between a work tree and an index: found by git from names, sizes and times. It
 * opens no file but one that was written in the second in which the index was, and enters no other
 * repository.
 */

import { type Bytes, fromBuffer, inside, toPath } from '../bytes.ts'
import { look, namesIn } from '../place.ts'
import { ChangedError } from '../read-file.ts'
import type { ObjectId } from './refs.ts'
import type { GitPlace, RunGit } from './run-git.ts'
import { GitError } from './run-program.ts'
import { isOutside, treeTimeoutMs, type WorkTree } from './work-tree.ts'

export interface Suspect {
  readonly path: Bytes
  /** What the index has. Absent for what is new. */
  readonly was?: { readonly mode: string; readonly blob: string }
}

/** As much of a work tree as it takes to look at it. */
export type Looked = Pick<WorkTree, 'root' | 'files' | 'exclusions' | 'git'>

const nestedDepthMax = 64
const nestedEntriesMax = 200_000

export async function listChanges(tree: WorkTree, at: GitPlace): Promise<readonly Suspect[]> {
  const [tracked, others] = await Promise.all([
    tree.git({
      at,
      command: 'diff-files',
      options: ['-z', '--raw', '--ignore-submodules=all', '--no-ext-diff', '--no-renames'],
      timeoutMs: treeTimeoutMs,
    }),
    tree.git({
      at,
      command: 'ls-files',
      options: ['-z', '--others', '--exclude-standard'],
      timeoutMs: treeTimeoutMs,
    }),
  ])
  // git goes on without what it may not look into: that would be a tree with a hole in it.
  const unseen = /could not open|permission denied/i.exec(`${tracked.stderr}\n${others.stderr}`)
  if (unseen !== null)
    throw new GitError('refused', 'git ls-files', others.stderr || tracked.stderr)
  const suspects: Suspect[] = parseRaw(tracked.stdout)
  for (const path of split(others.stdout)) {
    if (!path.endsWith('/')) suspects.push({ path })
    else
      for (const inner of (await walkNested(tree, at, path.slice(0, -1))).files)
        suspects.push({ path: inner })
  }
  return suspects.filter(({ path }) => !isOutside(tree.exclusions, path))
}

/** Paths of a work tree that differ from a tree or commit, and then those that are new; it is only looked at. */
export async function pathsUnlike(
  git: RunGit,
  at: GitPlace,
  tree: ObjectId,
  excludes: readonly string[] = [],
): Promise<readonly Bytes[]> {
  const [changed, others] = await Promise.all([
    git({
      at,
      command: 'diff',
      options: [
        '-z',
        '--name-only',
        '--no-ext-diff',
        '--no-textconv',
        '--no-renames',
        '--ignore-submodules=all',
      ],
      operands: [tree],
    }),
    git({
      at,
      command: 'ls-files',
      options: [
        '-z',
        '--others',
        '--exclude-standard',
        ...excludes.map((pattern) => `--exclude=${pattern}`),
        '--directory',
        '--no-empty-directory',
      ],
    }),
  ])
  return [...split(changed.stdout), ...split(others.stdout)]
}

/** `:100644 100755 <was> <is> M`, NUL, the path, NUL. */
function parseRaw(output: Buffer): Suspect[] {
  const parts = split(output)
  const suspects: Suspect[] = []
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [mode = '', , blob = ''] = parts[index]?.slice(1).split(' ') ?? []
    suspects.push({ path: parts[index + 1] ?? '', was: { mode, blob } })
  }
  return suspects
}

export const split = (output: Buffer): readonly Bytes[] =>
  fromBuffer(output).split('\0').slice(0, -1)

/**
 * A repository inside the work tree is a folder like others: its files are content, its `.git` is
 * not. git would only note where it stands.
 */
export async function walkNested(
  tree: Looked,
  at: GitPlace,
  folder: Bytes,
): Promise<{ readonly files: readonly Bytes[]; readonly ignored: readonly Bytes[] }> {
  const found: Bytes[] = []
  const leftOut: Bytes[] = []
  let level = [folder]
  for (let depth = 0; level.length > 0; depth += 1) {
    const names = await namesOf(tree, level)
    if (depth > nestedDepthMax || found.length + names.length > nestedEntriesMax) {
      throw new GitError('output', 'git ls-files', `${folder} holds a repository that is too large`)
    }
    const ignored = await ignoredOf(tree, at, names)
    const below: Bytes[] = []
    for (const path of names) {
      if (ignored.has(path)) {
        leftOut.push(path)
        continue
      }
      const seen = await look(tree, path)
      if (seen?.isDirectory() === true) below.push(path)
      else if (seen !== undefined) found.push(path)
    }
    level = below
  }
  return { files: found, ignored: leftOut }
}

async function namesOf(tree: Looked, folders: readonly Bytes[]): Promise<readonly Bytes[]> {
  const paths: Bytes[] = []
  for (const folder of folders) {
    const names = await namesIn(tree, folder).catch((error: unknown) => {
      throw new ChangedError(folder, error)
    })
    paths.push(...names.map((name) => inside(folder, name)))
  }
  return paths.filter((path) => !isOutside(tree.exclusions, path))
}

export async function ignoredOf(
  { git }: Pick<WorkTree, 'git'>,
  at: GitPlace,
  paths: readonly Bytes[],
): Promise<ReadonlySet<Bytes>> {
  if (paths.length === 0) return new Set()
  const { stdout } = await git({
    at,
    command: 'check-ignore',
    options: ['-z', '--stdin', '--no-index'],
    isLiteral: false,
    input: toPath(paths.map((path) => `./${path}\0`).join('')),
    answers: [0, 1],
  })
  return new Set(split(stdout).map((path) => path.slice(2)))
}
