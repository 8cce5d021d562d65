/** Trees become commits: all of them on a ref that only keeps them, iterations on the run's branch. */

import { LoopError, type TreeId } from '../../loop/index.ts'
import { fileKey } from './names.ts'
import type { KnownWorktree } from './open-work-tree.ts'
import { branchRef, changeRef, commitOf, idOf, type ObjectId, snapshotsRef } from './refs.ts'
import type { GitPlace, RunGit } from './run-git.ts'
import { GitError } from './run-program.ts'
import type { WorkTree } from './work-tree.ts'

export interface CommitRequest {
  /** The first line says what changed; it is never empty. */
  readonly message: string
  /** What is committed; the files as they are unless told. */
  readonly tree?: TreeId
  /** Kept as lines at the end of the message, by which a commit is known again. */
  readonly trailers?: Readonly<Record<string, string>>
}

export interface Commit {
  readonly commit: ObjectId
  readonly tree: ObjectId
  /** False when there was nothing to commit, or it was committed before. */
  readonly isNew: boolean
}

type BeforeRef = (() => Promise<void>) | undefined

const triesMax = 5

/** Keeps a tree, and so all before it, from garbage collection. */
export async function keepSnapshot(
  tree: WorkTree,
  key: string,
  id: ObjectId,
  beforeRef?: BeforeRef,
): Promise<void> {
  if (tree.memory.kept?.tree === id) return
  const ref = {
    name: snapshotsRef(fileKey(key)),
    known: tree.memory.kept,
    tip: () => snapshotsTip(tree, key),
  }
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
  // A branch that somebody removed begins anew from where it began.
  const name = branchRef(branch)
  const ref = { name, begin: base.commit, tip: () => tipOf(tree, name) }
  const made = await advance(tree, ref, id, messageOf(request), beforeRef)
  return { ...made, tree: id }
}

async function advance(
  tree: WorkTree,
  ref: AdvancedRef,
  id: ObjectId,
  message: string,
  beforeRef: BeforeRef,
): Promise<{ readonly commit: ObjectId; readonly isNew: boolean }> {
  let { known } = ref
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const isKnown = known !== undefined
    const tip = known ?? (await ref.tip())
    // If it is not there any more, it is asked for.
    known = undefined
    if (tip?.tree === id) return { commit: tip.commit, isNew: false }
    const parent = tip?.commit ?? ref.begin
    const commit = await writeCommit(tree, id, parent, message).catch((error: unknown) => {
      if (isKnown && error instanceof GitError) return undefined
      throw error
    })
    if (commit === undefined) continue
    await beforeRef?.()
    const reason = `loopwright: ${message.split('\n', 1)[0] ?? ''}`.slice(0, 200)
    const change = { ref: ref.name, to: commit, from: tip?.commit ?? tip?.broken, reason }
    if (await changeRef(tree.git, tree.repository, change)) return { commit, isNew: true }
  }
  const advice = 'Stop what moves it, then resume.'
  throw new LoopError(
    'workspace-failed',
    `The ref ${ref.name} keeps being moved by others. ${advice}`,
  )
}

interface AdvancedRef {
  readonly name: string
  /** What it was when we moved it last. */
  readonly known?: Tip | undefined
  readonly begin?: ObjectId
  tip(): Promise<SnapshotsTip | undefined>
}

interface Tip {
  readonly commit: ObjectId
  readonly tree: ObjectId
}

type SnapshotsTip = (Tip & { readonly broken?: never }) | Broken

/** It names something that is no longer there: a garbage collection came in between. */
interface Broken {
  readonly broken: ObjectId
  readonly commit?: never
  readonly tree?: never
}

/** What is lost of snapshots is lost; those to come are kept again. */
export async function snapshotsTip(
  tree: Pick<WorkTree, 'git' | 'repository'>,
  key: string,
): Promise<SnapshotsTip | undefined> {
  const ref = snapshotsRef(fileKey(key))
  try {
    return await tipOf(tree, ref)
  } catch (error) {
    const broken = await idOf(tree.git, tree.repository, ref)
    if (!(error instanceof GitError) || broken === undefined) throw error
    if ((await commitOf(tree.git, tree.repository, ref)) !== undefined) throw error
    return { broken }
  }
}

export async function tipOf(
  tree: Pick<WorkTree, 'git' | 'repository'>,
  ref: string,
): Promise<Tip | undefined> {
  const { stdout } = await tree.git({
    at: { gitDir: tree.repository.commonDir },
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

function writeCommit(
  tree: WorkTree,
  id: ObjectId,
  parent: ObjectId | undefined,
  message: string,
): Promise<ObjectId> {
  const parents = parent === undefined ? [] : [parent]
  return writeCommitOf(tree.git, tree.own.at(tree.path), id, parents, message)
}

export async function writeCommitOf(
  git: RunGit,
  at: GitPlace,
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

function messageOf({ message, trailers = {} }: CommitRequest): string {
  const clean = (text: string): string => text.replaceAll('\0', '')
  const lines = Object.entries(trailers).map(([name, value]) => {
    const key = name.replaceAll(/[^A-Za-z0-9-]/g, '-')
    return `${key}: ${clean(value).replaceAll(/\s+/g, ' ').trim()}`
  })
  const text = clean(message).trim() || 'Work of an iteration'
  return `${text}\n${lines.length === 0 ? '' : `\n${lines.join('\n')}\n`}`
}
