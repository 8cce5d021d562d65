/**
 * What happened to the branches of a repository between two looks at it, as far as it can undo work that landed before the
 * first one (find-undone.ts). Whatever is not certain counts as anything.
 *
 * The branches of runs are left out: they begin where the work is, and are no history of the project.
 */

import { isObjectId, type ObjectId } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'

/** The commit of each branch, by its full name. */
export type Heads = Readonly<Record<string, ObjectId>>

/** `grown`: commits without merges were added to some, which touched these paths, and branches were created. */
export type BranchMoves =
  | { readonly type: 'none' }
  | {
      readonly type: 'grown'
      readonly touched: ReadonlySet<string>
      readonly created: readonly string[]
    }
  | { readonly type: 'anything' }

const headsMax = 1000
/** `findUndone` looks at no more branches: with more of them, removing one may let it see another. */
const branchesMax = 20
const commitsMax = 1000
const pathsMax = 200
const limits = { outputBytesMax: 32 * 1024 * 1024, timeoutMs: 60_000 }
const runBranches = 'refs/heads/run/'

type At = Pick<Repository, 'commonDir'>

const splitAtNul = (stdout: Uint8Array): readonly string[] =>
  Buffer.from(stdout).toString('utf8').split('\0')

/** Undefined: there are too many. */
export async function readHeads(
  { commonDir }: At,
  git: RunGit = runGit,
): Promise<Heads | undefined> {
  const { stdout } = await git({
    at: { gitDir: commonDir },
    command: 'for-each-ref',
    options: [`--count=${headsMax + 1}`, '--format=%(refname)%00%(objectname)%00'],
    operands: ['refs/heads'],
    ...limits,
  })
  const words = splitAtNul(stdout).map((word) => word.trim())
  if (words.length > 2 * headsMax) return undefined
  const heads: Record<string, ObjectId> = {}
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [ref = '', commit = ''] = words.slice(at, at + 2)
    if (!ref.startsWith(runBranches)) heads[ref] = commit
  }
  return heads
}

export const isRunBranch = (branch: string): boolean =>
  `refs/heads/${branch}`.startsWith(runBranches)

export async function compareHeads(
  repository: At,
  before: Heads,
  now: Heads,
  git: RunGit = runGit,
): Promise<BranchMoves> {
  const refs = Object.keys(now)
  const created = refs.filter((ref) => !Object.hasOwn(before, ref))
  const hasRemoved = Object.keys(before).some((ref) => !Object.hasOwn(now, ref))
  if (hasRemoved && Object.keys(before).length > branchesMax) return { type: 'anything' }
  const moved = refs.filter((ref) => Object.hasOwn(before, ref) && before[ref] !== now[ref])
  if (created.length === 0 && moved.length === 0) return { type: 'none' }
  const touched = new Set<string>()
  for (const ref of moved) {
    const paths = await listTouched(repository, before[ref] ?? '', now[ref] ?? '', git)
    if (paths === undefined) return { type: 'anything' }
    for (const path of paths) touched.add(path)
  }
  return { type: 'grown', touched, created }
}

/** Undefined unless the second commit only adds to the first: in a line, without a merge, not too many. */
async function listTouched(
  { commonDir }: At,
  from: ObjectId,
  to: ObjectId,
  git: RunGit,
): Promise<ReadonlySet<string> | undefined> {
  if (!isObjectId(from) || !isObjectId(to)) return undefined
  const { stdout, exitCode } = await git({
    at: { gitDir: commonDir },
    command: 'log',
    options: [
      '-z',
      '--topo-order',
      '--format=format:%x01%H %P%x01',
      `--max-count=${commitsMax + 1}`,
      '--name-only',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      '--no-notes',
      '--no-show-signature',
      '--no-follow',
      '--no-color',
    ],
    operands: [to, `^${from}`],
    answers: [0, 128],
    ...limits,
  })
  // Between two of the marks are a commit and its parents; a name may contain the mark, which then looks like anything else.
  const parts = Buffer.from(stdout).toString('utf8').split('\u0001').slice(1)
  if (exitCode !== 0 || parts.length === 0 || parts.length > 2 * commitsMax) return undefined
  const touched = new Set<string>()
  let expected = to
  for (let at = 0; at < parts.length; at += 2) {
    const [commit, parent = '', ...others] = (parts[at] ?? '').split(' ')
    if (commit !== expected || others.length > 0) return undefined
    expected = parent
    const names = (parts[at + 1] ?? '').split('\0').map((name) => name.replace(/^\n/, ''))
    for (const name of names) if (name !== '') touched.add(name)
  }
  return expected === from ? touched : undefined
}

/** Whether any of these branches has any of these commits. */
export async function haveAny(
  { commonDir }: At,
  refs: readonly string[],
  commits: readonly ObjectId[],
  git: RunGit = runGit,
): Promise<boolean> {
  if (refs.length === 0 || commits.length === 0) return false
  if (refs.length > pathsMax || commits.length > pathsMax || !commits.every(isObjectId)) return true
  const { stdout, exitCode } = await git({
    at: { gitDir: commonDir },
    command: 'for-each-ref',
    options: [...commits.map((commit) => `--contains=${commit}`), '--format=%(refname)%00'],
    operands: refs,
    answers: [0, 128, 129],
    ...limits,
  })
  // A commit that is gone is an error, and may come back.
  return exitCode !== 0 || stdout.length > 0
}

/** The paths that a commit changed. Undefined: too many to remember, or unknown. */
export async function listWorkPaths(
  { commonDir }: At,
  commit: ObjectId,
  git: RunGit = runGit,
): Promise<readonly string[] | undefined> {
  if (!isObjectId(commit)) return undefined
  const { stdout, exitCode } = await git({
    at: { gitDir: commonDir },
    command: 'diff-tree',
    options: ['-r', '-z', '--name-only', '--no-renames'],
    operands: [`${commit}^1`, commit],
    answers: [0, 128],
    ...limits,
  })
  const paths = splitAtNul(stdout).filter((path) => path !== '')
  return exitCode !== 0 || paths.length === 0 || paths.length > pathsMax ? undefined : paths
}
