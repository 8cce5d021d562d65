/** Turns trees into commits: all snapshots on a private ref that keeps them, iterations on the run's branch. */

import { join } from 'node:path'
import { defined, LoopError, type TreeId } from '../../loop/index.ts'
import type { KnownWorktree } from '../worktree/open-work-tree.ts'
import type { WorkTree } from '../worktree/work-tree.ts'
import { worktreeFiles } from '../worktree/worktree-files.ts'
import { isAncestor } from './is-ancestor.ts'
import { toFileKey } from './names.ts'
import {
  branchRef,
  changeRef,
  type ObjectId,
  readRefId,
  resolveCommit,
  resolveObjects,
  snapshotsRef,
} from './refs.ts'
import { type GitLocation, identity, type RunGit } from './run-git.ts'
import { GitError } from './run-program.ts'
import { isLoose, writeObject } from './write-object.ts'

export interface CommitRequest {
  /** The first line summarizes the change. */
  readonly message: string
  /** The tree to commit. Default: a snapshot of the current files. */
  readonly tree?: TreeId
  /** Lines at the end of the message that identify the commit. */
  readonly trailers?: Readonly<Record<string, string>>
  /** A commit whose changes the tree contains: it becomes a parent, unless it is in the history already. */
  readonly follows?: ObjectId
}

export interface Commit {
  readonly commit: ObjectId
  readonly tree: ObjectId
  /** False if there was nothing to commit, or it was already committed. */
  readonly isNew: boolean
}

type BeforeRef = (() => Promise<void>) | undefined

const triesMax = 5

/** Protects a tree, and all earlier ones, from garbage collection. */
export async function keepSnapshot(
  tree: WorkTree,
  key: string,
  id: ObjectId,
  beforeRef?: BeforeRef,
): Promise<void> {
  if (tree.memory.kept?.tree === id) return
  const name = snapshotsRef(toFileKey(key))
  const { kept } = tree.memory
  const isNew = kept === undefined && !(await hasFile(tree, name))
  const ref = { name, isNew, known: kept, tip: () => readSnapshotsTip(tree, key) }
  const { commit } = await advance(tree, ref, id, 'loopwright snapshot\n', beforeRef)
  tree.memory.kept = { commit, tree: id }
}

export async function commitTree(
  tree: WorkTree,
  { branch, base }: Pick<KnownWorktree, 'branch' | 'base'>,
  id: ObjectId,
  request: CommitRequest,
  beforeRef?: BeforeRef,
): Promise<Commit> {
  // If the branch was deleted, it starts again at its base.
  const name = branchRef(branch)
  const { committed } = tree.memory
  // Without a change nothing verifies that the branch still is where it was, so it is read.
  const known = committed?.tree === id ? undefined : committed
  const follows = defined({ follows: request.follows })
  const ref = { name, known, begin: base.commit, tip: () => readTip(tree, name), ...follows }
  const result = await advance(tree, ref, id, renderMessage(request), beforeRef)
  tree.memory.committed = { commit: result.commit, tree: id }
  return { ...result, tree: id }
}

async function advance(
  tree: WorkTree,
  ref: AdvancedRef,
  id: ObjectId,
  message: string,
  beforeRef: BeforeRef,
): Promise<{ readonly commit: ObjectId; readonly isNew: boolean }> {
  let { known, isNew = false } = ref
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const isKnown = known !== undefined
    const tip = known ?? (isNew ? undefined : await ref.tip())
    // After a failure, read the current tip.
    known = undefined
    isNew = false
    const parent = tip?.commit ?? ref.begin
    const followed = await toFollow(tree, ref.follows, parent)
    if (tip?.tree === id && followed.length === 0) return { commit: tip.commit, isNew: false }
    const parents = [...(parent === undefined ? [] : [parent]), ...followed]
    const commit = await writeCommit(tree, id, parents, message).catch((error: unknown) => {
      if (isKnown && error instanceof GitError) return undefined
      throw error
    })
    if (commit === undefined) continue
    await beforeRef?.()
    const change = { ref: ref.name, to: commit, from: tip?.commit ?? tip?.broken }
    if (await changeRef(tree.git, tree.repository, change)) return { commit, isNew: true }
  }
  const advice = 'Stop the process that moves it, then resume.'
  throw new LoopError(
    'workspace-failed',
    `Another process keeps moving the ref ${ref.name}. ${advice}`,
  )
}

/** A commit that is not in the history of the other yet. */
async function toFollow(
  { git, repository }: WorkTree,
  follows: ObjectId | undefined,
  tip: ObjectId | undefined,
): Promise<readonly ObjectId[]> {
  if (follows === undefined || tip === undefined) return []
  return (await isAncestor(git, repository, follows, tip)) ? [] : [follows]
}

interface AdvancedRef {
  readonly name: string
  readonly follows?: ObjectId
  /** Its value after our last update. */
  readonly known?: Tip | undefined
  /** It probably does not exist. */
  readonly isNew?: boolean
  readonly begin?: ObjectId
  tip(): Promise<SnapshotsTip | undefined>
}

interface Tip {
  readonly commit: ObjectId
  readonly tree: ObjectId
}

type SnapshotsTip = (Tip & { readonly broken?: never }) | BrokenTip

/** The ref points to a missing object: a garbage collection deleted it. */
interface BrokenTip {
  readonly broken: ObjectId
  readonly commit?: never
  readonly tree?: never
}

/** Deleted snapshots are lost; new ones are kept again. */
export async function readSnapshotsTip(
  tree: Pick<WorkTree, 'git' | 'repository'>,
  key: string,
): Promise<SnapshotsTip | undefined> {
  const ref = snapshotsRef(toFileKey(key))
  try {
    return await readTip(tree, ref)
  } catch (error) {
    const broken = await readRefId(tree.git, tree.repository, ref)
    if (!(error instanceof GitError) || broken === undefined) throw error
    if ((await resolveCommit(tree.git, tree.repository, ref)) !== undefined) throw error
    return { broken }
  }
}

export async function readTip(
  tree: Pick<WorkTree, 'git' | 'repository'>,
  ref: string,
): Promise<Tip | undefined> {
  const { commonDir } = tree.repository
  const found = await lookUpTip(tree, ref)
  if (found !== undefined) return found
  const { stdout } = await tree.git({
    at: { gitDir: commonDir },
    command: 'for-each-ref',
    options: ['--format=%(refname) %(objectname) %(tree)'],
    operands: [ref],
  })
  const line = stdout
    .toString('utf8')
    .split('\n')
    .find((one) => one.startsWith(`${ref} `))
  const [, commit, id] = line?.split(' ') ?? []
  return commit === undefined || id === undefined || id === '' ? undefined : { commit, tree: id }
}

/**
 * Undefined if the ref is packed or damaged, or does not exist. Only a ref with a file is looked up by name: for
 * others git would accept a ref with a similar name.
 */
async function lookUpTip(
  { git, repository }: Pick<WorkTree, 'git' | 'repository'>,
  ref: string,
): Promise<Tip | undefined> {
  if (!(await hasFile({ repository }, ref))) return undefined
  const { commonDir } = repository
  const [commit] = await resolveObjects(git, commonDir, [`${ref}^{commit}`])
  const [tree] = await resolveObjects(git, commonDir, [`${commit}^{tree}`])
  return commit === undefined || tree === undefined ? undefined : { commit, tree }
}

/** A packed ref has none. */
async function hasFile(
  { repository }: Pick<WorkTree, 'repository'>,
  ref: string,
): Promise<boolean> {
  const path = join(repository.commonDir, ref)
  const seen = await worktreeFiles.lstat(path).catch(() => undefined)
  return seen?.isFile() === true
}

/** git checks that the objects which a commit names exist; without git, only new ones are known to. */
async function writeCommit(
  tree: WorkTree,
  id: ObjectId,
  parents: readonly ObjectId[],
  message: string,
): Promise<ObjectId> {
  const { files, repository } = tree
  const found = await Promise.all([id, ...parents].map((one) => isLoose(files, repository, one)))
  if (!found.every(Boolean)) {
    return writeCommitObject(tree.git, tree.own.at(tree.path), id, parents, message)
  }
  return writeCommitWithoutGit(tree, { tree: id, parents, message })
}

/** For objects that are known to exist. */
export function writeCommitWithoutGit(
  { files, repository, now }: Pick<WorkTree, 'files' | 'repository' | 'now'>,
  commit: {
    readonly tree: ObjectId
    readonly parents: readonly ObjectId[]
    readonly message: string
  },
): Promise<ObjectId> {
  const who = `${identity.name} <${identity.email}> ${renderTime(new Date(now()))}`
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((one) => `parent ${one}`),
    `author ${who}`,
    `committer ${who}`,
    '',
    commit.message,
  ]
  return writeObject(files, repository, 'commit', Buffer.from(lines.join('\n'), 'utf8'))
}

/** Seconds, and the offset of the local time, such as `+0200`. */
function renderTime(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  const digits = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const offset = `${digits(Math.abs(minutes) / 60)}${digits(Math.abs(minutes) % 60)}`
  return `${Math.floor(time.getTime() / 1000)} ${minutes < 0 ? '-' : '+'}${offset}`
}

export async function writeCommitObject(
  git: RunGit,
  at: GitLocation,
  tree: ObjectId,
  parents: readonly ObjectId[],
  message: string,
): Promise<ObjectId> {
  const { stdout } = await git({
    at,
    command: 'commit-tree',
    options: ['--no-gpg-sign', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'],
    operands: [tree],
    input: Buffer.from(message, 'utf8'),
  })
  return stdout.toString('latin1').trim()
}

function renderMessage({ message, trailers = {} }: CommitRequest): string {
  const clean = (text: string): string => text.replaceAll('\0', '')
  const lines = Object.entries(trailers).map(([name, value]) => {
    const key = name.replaceAll(/[^A-Za-z0-9-]/g, '-')
    return `${key}: ${clean(value).replaceAll(/\s+/g, ' ').trim()}`
  })
  const text = clean(message).trim() || 'Work of an iteration'
  return `${text}\n${lines.length === 0 ? '' : `\n${lines.join('\n')}\n`}`
}
