/**
 * Whether the local history of a repository undoes work that landed in it. Reads what is there; fetches nothing, and runs
 * no code of the repository.
 *
 * Work is undone by a commit whose message says that it reverts one of its commits (`git revert`), by a commit that contains
 * the opposite of its patch, or by any number of commits after which all of its files are as they were before it.
 */

import { fromBuffer } from '../bytes.ts'
import { isObjectId, resolveCommit } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'

export interface LandedWork {
  /** The commit with the work. Its first parent is what was there before. */
  readonly commit: string
  /** The branch that the work was put on, besides those that contain it. */
  readonly branch?: string
}

export interface Undone {
  readonly branch: string
  /** The commit that undid it; for restored files: the newest one. */
  readonly commit: string
  readonly how: 'revert-commit' | 'opposite-patch' | 'restored-files'
}

const branchesMax = 20
const commitsMax = 1000
const pathsMax = 1000
const outputBytesMax = 32 * 1024 * 1024
const timeoutMs = 60_000

/** Undefined: it is still there, or its commit is not in the repository any more. */
export async function findUndone(
  repository: Repository,
  { commit, branch: given }: LandedWork,
  git: RunGit = runGit,
): Promise<Undone | undefined> {
  const reading: Reading = { at: { gitDir: repository.commonDir }, git }
  const after = await resolveCommit(git, repository, commit)
  const before = after && (await resolveCommit(git, repository, `${after}^1`))
  if (after === undefined || before === undefined) return undefined
  const paths = await listChangedPaths(reading, before, after)
  if (paths.length === 0) return undefined
  // Too many for a command line: then every later commit is looked at as a whole.
  const work: Work = { before, after, paths: paths.length > pathsMax ? [] : paths }
  const branches = await listBranchesWith(reading, after)
  const named = given === undefined ? [] : [`refs/heads/${given}`]
  let opposite: string | undefined
  for (const ref of [...new Set([...named, ...branches])].slice(0, branchesMax)) {
    const later = await listCommitsAfter(reading, ref, work)
    if (later.length === 0) continue
    const branch = ref.replace(/^refs\/heads\//, '')
    const reverts = later.find(({ message }) => revertsAny(message, [after]))
    if (reverts !== undefined) return { branch, commit: reverts.commit, how: 'revert-commit' }
    opposite ??= await findOppositePatchId(reading, work)
    const undoing = opposite && (await findCommitWithPatch(reading, ref, work, opposite))
    if (undoing !== undefined) return { branch, commit: undoing, how: 'opposite-patch' }
    const [tip] = later
    if (tip !== undefined && (await areSameFiles(reading, before, ref, work.paths)))
      return { branch, commit: tip.commit, how: 'restored-files' }
  }
  return undefined
}

interface Work {
  readonly before: string
  readonly after: string
  /** Empty: all. */
  readonly paths: readonly string[]
}

interface LaterCommit {
  readonly commit: string
  readonly message: string
}

/** As `git revert` writes it, also with an abbreviated id that a person wrote. */
const revertsAny = (message: string, commits: readonly string[]): boolean =>
  [...message.matchAll(/\bThis reverts commit ([0-9a-f]{7,64})\b/g)].some(([, id = '']) =>
    commits.some((commit) => commit.startsWith(id)),
  )

/** Also if the repository is configured otherwise: a patch can only be compared with one of the same form. */
const plainDiff = [
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--full-index',
  '--unified=3',
  '--inter-hunk-context=0',
  '--diff-algorithm=myers',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
]
const plainLog = ['--no-notes', '--no-show-signature', '--no-follow']

interface Reading {
  readonly at: { readonly gitDir: string }
  readonly git: RunGit
}

const limits = { outputBytesMax, timeoutMs }

const splitAtNul = (stdout: Buffer): readonly string[] =>
  stdout
    .toString('utf8')
    .split('\0')
    .filter((part) => part !== '')

const toRange = ({ after, paths }: Work, ref: string): readonly string[] => [
  ref,
  `^${after}`,
  '--',
  ...paths,
]

async function listChangedPaths(
  { at, git }: Reading,
  before: string,
  after: string,
): Promise<readonly string[]> {
  const options = ['-r', '-z', '--name-only', '--no-renames']
  const call = { at, command: 'diff-tree', options, operands: [before, after], ...limits }
  return splitAtNul((await git(call)).stdout)
}

/** Without the branches of runs, which begin where the work is: they are no history of the project. */
async function listBranchesWith({ at, git }: Reading, commit: string): Promise<readonly string[]> {
  const { stdout } = await git({
    at,
    command: 'for-each-ref',
    options: [`--contains=${commit}`, `--count=${branchesMax * 50}`, '--format=%(refname)%00'],
    operands: ['refs/heads'],
    ...limits,
  })
  return splitAtNul(stdout)
    .map((ref) => ref.trim())
    .filter((ref) => ref !== '' && !ref.startsWith('refs/heads/run/'))
}

/** Those that touch the same files, the newest first. */
async function listCommitsAfter(
  { at, git }: Reading,
  ref: string,
  work: Work,
): Promise<readonly LaterCommit[]> {
  const { stdout, exitCode } = await git({
    at,
    command: 'log',
    options: ['--format=format:%H%x02%B%x00', `--max-count=${commitsMax}`, ...plainLog],
    operands: toRange(work, ref),
    answers: [0, 128],
    ...limits,
  })
  if (exitCode !== 0) return []
  return splitAtNul(stdout).flatMap((record) => {
    const [commit = '', ...message] = record.trimStart().split('\u0002')
    return isObjectId(commit) ? [{ commit, message: message.join('\u0002') }] : []
  })
}

async function findOppositePatchId(
  { at, git }: Reading,
  { before, after }: Work,
): Promise<string | undefined> {
  const options = ['-r', '-p', ...plainDiff]
  const call = { at, command: 'diff-tree', options, operands: [after, before], ...limits }
  const [first] = await readPatchIds({ at, git }, (await git(call)).stdout)
  return first?.id
}

/** The commit whose changes of the same files have this patch. What else it changes does not count. */
async function findCommitWithPatch(
  { at, git }: Reading,
  ref: string,
  work: Work,
  wanted: string,
): Promise<string | undefined> {
  const { stdout, exitCode } = await git({
    at,
    command: 'log',
    options: [
      '-p',
      '--diff-merges=first-parent',
      '--format=format:commit %H%n',
      `--max-count=${commitsMax}`,
      ...plainLog,
      ...plainDiff,
    ],
    operands: toRange(work, ref),
    answers: [0, 128],
    ...limits,
  })
  if (exitCode !== 0) return undefined
  return (await readPatchIds({ at, git }, stdout)).find(({ id }) => id === wanted)?.commit
}

interface PatchId {
  readonly id: string
  readonly commit: string
}

async function readPatchIds({ at, git }: Reading, patch: Uint8Array): Promise<readonly PatchId[]> {
  if (patch.byteLength === 0) return []
  const call = { at, command: 'patch-id', options: ['--stable'], input: patch, ...limits }
  return fromBuffer((await git(call)).stdout)
    .split('\n')
    .flatMap((line) => {
      const [id = '', commit = ''] = line.split(' ')
      return isObjectId(id) ? [{ id, commit }] : []
    })
}

async function areSameFiles(
  { at, git }: Reading,
  before: string,
  ref: string,
  paths: readonly string[],
): Promise<boolean> {
  const options = ['-r', '--quiet', '--no-renames']
  const operands = [before, ref, '--', ...paths]
  const call = { at, command: 'diff-tree', options, operands, answers: [0, 1], ...limits }
  return (await git(call)).exitCode === 0
}
