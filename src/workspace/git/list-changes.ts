/**
 * Lists possible differences between a work tree and an index, which git finds by names, sizes and times. git
 * opens only files that were written in the same second as the index, and enters no other repository.
 */

import { type Bytes, fromBuffer, joinBytes, toPath } from '../bytes.ts'
import { ChangedError } from '../read-file.ts'
import { listNames, tryLstat } from '../workspace-directory.ts'
import { isOutside, treeTimeoutMs, type WorkTree } from '../worktree/work-tree.ts'
import type { ObjectId } from './refs.ts'
import type { GitLocation, RunGit } from './run-git.ts'
import { GitError } from './run-program.ts'

export interface Suspect {
  readonly path: Bytes
  /** The entry in the index. Absent for a new file. */
  readonly was?: { readonly mode: string; readonly blob: string }
}

/** The part of a work tree that is needed to list it. */
export type ListableTree = Pick<WorkTree, 'root' | 'files' | 'exclusions' | 'git'>

const nestedDepthMax = 64
const nestedEntriesMax = 200_000

/** Every path that looks changed, and every new one. */
export async function listChanges(tree: WorkTree, at: GitLocation): Promise<readonly Suspect[]> {
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
  requireReadable(tracked.stderr, others.stderr)
  return addNew(tree, at, parseRaw(tracked.stdout), splitNul(others.stdout))
}

/**
 * The same in one process, without the paths that only look changed: git reads each of those every time. HEAD should be
 * a commit of the tree of the index, or git lists the whole index.
 */
export async function listRealChanges(
  tree: WorkTree,
  at: GitLocation,
): Promise<readonly Suspect[]> {
  const { stdout, stderr } = await tree.git({
    at,
    command: 'status',
    options: [
      '--porcelain=v2',
      '-z',
      '--untracked-files=all',
      '--ignore-submodules=all',
      '--no-renames',
    ],
    timeoutMs: treeTimeoutMs,
  })
  requireReadable(stderr)
  const lines = splitNul(stdout)
  const others = lines.filter((line) => line.startsWith('? ')).map((line) => line.slice(2))
  return addNew(tree, at, lines.flatMap(parseStatus), others)
}

/** git continues without folders it cannot read, and the tree would be incomplete. */
function requireReadable(...output: readonly string[]): void {
  const unreadable = output.find((text) => /could not open|permission denied/i.test(text))
  if (unreadable !== undefined) throw new GitError('refused', 'git ls-files', unreadable)
}

async function addNew(
  tree: WorkTree,
  at: GitLocation,
  tracked: readonly Suspect[],
  others: readonly Bytes[],
): Promise<readonly Suspect[]> {
  const suspects = [...tracked]
  for (const path of others) {
    if (!path.endsWith('/')) suspects.push({ path })
    else
      for (const inner of (await walkNested(tree, at, path.slice(0, -1))).files)
        suspects.push({ path: inner })
  }
  return suspects.filter(({ path }) => !isOutside(tree.exclusions, path))
}

/** The paths of a work tree that differ from a tree or commit, followed by new paths. Only reads. */
export async function listDifferences(
  git: RunGit,
  at: GitLocation,
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
  return [...splitNul(changed.stdout), ...splitNul(others.stdout)]
}

/** `:100644 100755 <was> <is> M`, NUL, the path, NUL. */
function parseRaw(output: Buffer): readonly Suspect[] {
  const parts = splitNul(output)
  const suspects: Suspect[] = []
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [mode = '', , blob = ''] = parts[index]?.slice(1).split(' ') ?? []
    suspects.push({ path: parts[index + 1] ?? '', was: { mode, blob } })
  }
  return suspects
}

/** `1 .M N... <HEAD> <index> <file> <HEAD> <index> <path>`: the second letter compares the file with the index. */
function parseStatus(line: Bytes): readonly Suspect[] {
  const [kind, letters, , , mode = '', , , blob = '', ...path] = line.split(' ')
  if (kind !== '1' || letters?.[1] === '.') return []
  return [{ path: path.join(' '), was: { mode, blob } }]
}

export const splitNul = (output: Buffer): readonly Bytes[] =>
  fromBuffer(output).split('\0').slice(0, -1)

/**
 * A repository inside the work tree is an ordinary folder: its files are content, except its `.git`. git would
 * only record its commit.
 */
export async function walkNested(
  tree: ListableTree,
  at: GitLocation,
  folder: Bytes,
): Promise<{ readonly files: readonly Bytes[]; readonly ignored: readonly Bytes[] }> {
  const found: Bytes[] = []
  const skipped: Bytes[] = []
  let level = [folder]
  for (let depth = 0; level.length > 0; depth += 1) {
    const names = await listChildren(tree, level)
    if (depth > nestedDepthMax || found.length + names.length > nestedEntriesMax) {
      throw new GitError(
        'output',
        'git ls-files',
        `${folder} contains a repository that is too large`,
      )
    }
    const ignored = await filterIgnored(tree, at, names)
    const below: Bytes[] = []
    for (const path of names) {
      if (ignored.has(path)) {
        skipped.push(path)
        continue
      }
      const seen = await tryLstat(tree, path)
      if (seen?.isDirectory() === true) below.push(path)
      else if (seen !== undefined) found.push(path)
    }
    level = below
  }
  return { files: found, ignored: skipped }
}

async function listChildren(
  tree: ListableTree,
  folders: readonly Bytes[],
): Promise<readonly Bytes[]> {
  const paths: Bytes[] = []
  for (const folder of folders) {
    const names = await listNames(tree, folder).catch((error: unknown) => {
      throw new ChangedError(folder, error)
    })
    paths.push(...names.map((name) => joinBytes(folder, name)))
  }
  return paths.filter((path) => !isOutside(tree.exclusions, path))
}

export async function filterIgnored(
  { git }: Pick<WorkTree, 'git'>,
  at: GitLocation,
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
  return new Set(splitNul(stdout).map((path) => path.slice(2)))
}
