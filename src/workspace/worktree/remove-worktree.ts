/**
 * Clean-up: removes worktrees whose work is safe elsewhere, and reports what it kept.
 *
 * 1. A worktree with uncommitted changes is kept, and so is a locked one.
 * 2. A branch is kept if its commits are in none of the target branches.
 */

import { randomUUID } from 'node:crypto'
import { defined } from '../../loop/index.ts'
import { toDisplay } from '../bytes.ts'
import { readTip } from '../git/commit-tree.ts'
import { isAncestor } from '../git/is-ancestor.ts'
import { splitNul } from '../git/list-changes.ts'
import { mergeTrees, readTreeId } from '../git/merge-trees.ts'
import { toFileKey } from '../git/names.ts'
import { branchRef, changeRef, readRefId, resolveCommit, snapshotsRef } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'
import { wrapError } from '../git/wrap-error.ts'
import { checkWorktree } from './check-worktree.ts'
import { explainForeignRecord, finishRemoval, trashFor } from './finish-removal.ts'
import { type KnownWorktree, openWorkTree, type Tools } from './open-work-tree.ts'
import { readLockReason, readWorktreeId, removePartialWorktree } from './partial-worktree.ts'
import { gitProvider, type WorktreeProvider } from './provider.ts'
import { withAccessibleFolders } from './restore-work-tree.ts'
import { snapshotWorkTree } from './snapshot-work-tree.ts'
import type { WorkTree } from './work-tree.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'
import { readRecord, type WorktreeRecord, writeRecord } from './worktree-record.ts'

export interface RemoveWorktreeOptions {
  readonly repository: Repository
  readonly key: string
  /** Its path according to the journal, which no agent can write. */
  readonly path?: string
  /** Branches that the work may have been merged into, besides its base. */
  readonly mergedInto?: readonly string[]
  /** Remove everything, even unsaved work. */
  readonly discard?: boolean
  readonly provider?: WorktreeProvider
  readonly git?: RunGit
  readonly files?: WorktreeFiles
  readonly now?: () => number
}

export type Removal =
  | { readonly status: 'unknown' }
  | { readonly status: 'kept'; readonly path: string; readonly why: string }
  | {
      readonly status: 'removed'
      readonly path: string
      readonly branch: string
      /** Why the branch was kept. */
      readonly branchKept?: string
    }

const shownMax = 5

export async function removeWorktree(options: RemoveWorktreeOptions): Promise<Removal> {
  const tools: Tools = {
    git: options.git ?? runGit,
    files: options.files ?? worktreeFiles,
    now: options.now ?? Date.now,
  }
  return removeOrKeep(tools, options).catch((error: unknown) => {
    const message = `Could not remove a worktree of ${options.repository.home}`
    throw wrapError(message, error, 'Fix the cause, then try again: it continues where it stopped.')
  })
}

async function removeOrKeep(tools: Tools, options: RemoveWorktreeOptions): Promise<Removal> {
  const { repository, key, provider } = options
  const found = await readRecord(tools.files, repository, key)
  if (found === undefined) return { status: 'unknown' }
  const { path, branch } = found
  const isOurs = options.path === path
  const doubt = await explainForeignRecord(repository, found, isOurs, tools.files)
  if (doubt !== undefined) return { status: 'kept', path, why: doubt }
  if (found.state === 'removing') {
    await finishRemoval(tools, repository, found, provider)
    return { status: 'removed', path, branch }
  }
  const record =
    found.id === undefined ? await completeRecord(tools, repository, found, isOurs) : found
  const why = options.discard === true ? undefined : await findKeepReason(tools, repository, record)
  if (why !== undefined) return { status: 'kept', path, why }
  const tip = await resolveCommit(tools.git, repository, branchRef(branch))
  const branchKept =
    tip === undefined || options.discard === true
      ? undefined
      : await findUnmergedReason(tools, repository, record, tip, options.mergedInto ?? [])
  const removing: WorktreeRecord = {
    ...record,
    state: 'removing',
    trash: trashFor(path, randomUUID()),
    ...(tip === undefined || branchKept !== undefined ? {} : { dropBranchAt: tip }),
  }
  await writeRecord(tools.files, repository, removing)
  await finishRemoval(tools, repository, removing, provider ?? gitProvider)
  return { status: 'removed', path, branch, ...defined({ branchKept }) }
}

/** For an interrupted creation: adds the id if a worktree exists, else removes what there is of it. */
async function completeRecord(
  tools: Tools,
  repository: Repository,
  record: WorktreeRecord,
  isOurs: boolean,
): Promise<WorktreeRecord> {
  const { path, branch } = record
  const id = await readWorktreeId(tools, repository, path)
  if (id !== undefined) {
    const status = await checkWorktree(tools.files, repository, { path, id, branch }).catch(
      () => 'partial',
    )
    if (status === 'there') return { ...record, id }
  }
  await removePartialWorktree(tools, repository, path, isOurs)
  return record
}

/** Releases the snapshots of a run that will not be resumed or forked to garbage collection. */
export async function releaseSnapshots(
  repository: Repository,
  key: string,
  git: RunGit = runGit,
): Promise<void> {
  const ref = snapshotsRef(toFileKey(key))
  const from = await readRefId(git, repository, ref)
  if (from === undefined) return
  await changeRef(git, repository, { ref, to: undefined, from })
}

async function findKeepReason(
  tools: Tools,
  repository: Repository,
  record: WorktreeRecord,
): Promise<string | undefined> {
  const { id } = record
  // An interrupted creation contains no work.
  if (id === undefined || record.state === 'creating') return undefined
  const known: KnownWorktree = { ...record, id }
  const status = await checkWorktree(tools.files, repository, known)
  if (status === 'missing') return undefined
  const reason = await readLockReason(tools, repository, id)
  if (reason !== undefined) return `it is locked${reason === '' ? '' : ` (${reason.trim()})`}`
  const paths = await listUncommittedIn(
    await openWorkTree(tools, repository, known, known.exclude),
    known,
  )
  if (paths.length === 0) return undefined
  const more = paths.length > shownMax ? ` and ${paths.length - shownMax} more` : ''
  return `it has uncommitted changes: ${paths.slice(0, shownMax).join(', ')}${more}`
}

async function listUncommittedIn(tree: WorkTree, known: KnownWorktree): Promise<readonly string[]> {
  const tip = await readTip(tree, branchRef(known.branch))
  const base = tip?.tree ?? known.base.commit
  const id = await withAccessibleFolders(tree, () => snapshotWorkTree(tree, async () => base))
  if (id === base) return []
  const { stdout } = await tree.git({
    at: tree.own.at(tree.path),
    command: 'diff-tree',
    options: ['-r', '-z', '--name-only', '--no-renames'],
    operands: [base, id],
  })
  return splitNul(stdout).map((path) => toDisplay(path))
}

export async function findUnmergedReason(
  tools: Tools,
  repository: Repository,
  { branch, base, landedOn = [] }: Pick<WorktreeRecord, 'branch' | 'base' | 'landedOn'>,
  tip: string,
  mergedInto: readonly string[],
): Promise<string | undefined> {
  if (tip === base.commit) return undefined
  const targets = [...new Set([base.name, ...landedOn, ...mergedInto])].filter(
    (name) => name !== branch,
  )
  for (const target of targets) {
    const commit = await resolveCommit(tools.git, repository, target)
    if (commit !== undefined && (await containsWork(tools, repository, commit, tip, base.commit)))
      return undefined
  }
  return `its commits are not in ${targets.join(' or ')}`
}

async function containsWork(
  tools: Tools,
  repository: Repository,
  target: string,
  tip: string,
  base: string,
): Promise<boolean> {
  return (
    (await isAncestor(tools.git, repository, tip, target)) ||
    addsNothing(tools, repository, { target, tip, base })
  )
}

/**
 * As after a squash: the target has the changes but not the commits. A branch whose tree equals its base adds
 * nothing to any target, which does not mean that its commits are safe.
 */
async function addsNothing(
  tools: Tools,
  repository: Repository,
  { target, tip, base }: { readonly target: string; readonly tip: string; readonly base: string },
): Promise<boolean> {
  const merged = await mergeTrees(tools, repository, target, tip)
  const tree = (commit: string): Promise<string> => readTreeId(tools, repository, commit)
  if (merged.type !== 'clean' || merged.tree !== (await tree(target))) return false
  return (await tree(tip)) !== (await tree(base))
}
