/**
 * Clean-up: takes worktrees away whose work is safe elsewhere, and says what it kept.
 *
 * 1. A worktree with anything that is not committed stays, and so does one that somebody locked.
 * 2. A branch with commits that are in none of the branches they should go to stays.
 */

import { randomUUID } from 'node:crypto'
import { defined } from '../../loop/index.ts'
import { show } from '../bytes.ts'
import { checkWorktree } from './check-worktree.ts'
import { tipOf } from './commit-tree.ts'
import { failure } from './failure.ts'
import { finishRemoval, trashFor, whyNotOurs } from './finish-removal.ts'
import { idAt, lockOf, removeHalf } from './half-made.ts'
import { split } from './list-changes.ts'
import { mergeTrees, treeOf } from './merge-trees.ts'
import { fileKey } from './names.ts'
import { type KnownWorktree, openWorkTree, type Tools } from './open-work-tree.ts'
import { gitProvider, type WorktreeProvider } from './provider.ts'
import { branchRef, changeRef, commitOf, idOf, snapshotsRef } from './refs.ts'
import type { Repository } from './repository.ts'
import { withUsableFolders } from './restore-work-tree.ts'
import { type RunGit, runGit } from './run-git.ts'
import { snapshotWorkTree } from './snapshot-work-tree.ts'
import type { WorkTree } from './work-tree.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'
import { readRecord, type WorktreeRecord, writeRecord } from './worktree-record.ts'

export interface RemoveWorktreeOptions {
  readonly repository: Repository
  readonly key: string
  /** Where the run's own record has it, which no agent can have written. */
  readonly path?: string
  /** Branches that the work may have gone to, besides the one that it started from. */
  readonly mergedInto?: readonly string[]
  /** All of it goes, whatever is in it: it is of no use to anybody. */
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
      /** Why the branch is still there. */
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
    const what = `A worktree of ${options.repository.home} could not be removed`
    throw failure(what, error, 'Remove the cause, then try again: it goes on where it stopped.')
  })
}

async function removeOrKeep(tools: Tools, options: RemoveWorktreeOptions): Promise<Removal> {
  const { repository, key, provider } = options
  const found = await readRecord(tools.files, repository, key)
  if (found === undefined) return { status: 'unknown' }
  const { path, branch } = found
  const isOurs = options.path === path
  const doubt = await whyNotOurs(repository, found, isOurs, tools.files)
  if (doubt !== undefined) return { status: 'kept', path, why: doubt }
  if (found.state === 'removing') {
    await finishRemoval(tools, repository, found, provider)
    return { status: 'removed', path, branch }
  }
  const record = found.id === undefined ? await completed(tools, repository, found, isOurs) : found
  const why = options.discard === true ? undefined : await whyKept(tools, repository, record)
  if (why !== undefined) return { status: 'kept', path, why }
  const tip = await commitOf(tools.git, repository, branchRef(branch))
  const branchKept =
    tip === undefined || options.discard === true
      ? undefined
      : await whyUnmerged(tools, repository, record, tip, options.mergedInto ?? [])
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

/** One that was never finished: what there is of it, if it is a worktree at all. */
async function completed(
  tools: Tools,
  repository: Repository,
  record: WorktreeRecord,
  isOurs: boolean,
): Promise<WorktreeRecord> {
  const { path, branch } = record
  const id = await idAt(tools, repository, path)
  if (id !== undefined) {
    const status = await checkWorktree(tools.files, repository, { path, id, branch }).catch(
      () => 'half-made',
    )
    if (status === 'there') return { ...record, id }
  }
  await removeHalf(tools, repository, path, isOurs)
  return record
}

/** Lets garbage collection have the snapshots of a run that nobody will resume or fork. */
export async function forgetSnapshots(
  repository: Repository,
  key: string,
  git: RunGit = runGit,
): Promise<void> {
  const ref = snapshotsRef(fileKey(key))
  const from = await idOf(git, repository, ref)
  if (from === undefined) return
  const reason = 'loopwright: the run was removed'
  await changeRef(git, repository, { ref, to: undefined, from, reason })
}

async function whyKept(
  tools: Tools,
  repository: Repository,
  record: WorktreeRecord,
): Promise<string | undefined> {
  const { id } = record
  // One that was never finished has nothing of anybody's in it.
  if (id === undefined || record.state === 'creating') return undefined
  const known: KnownWorktree = { ...record, id }
  const status = await checkWorktree(tools.files, repository, known)
  if (status === 'missing') return undefined
  const reason = await lockOf(tools, repository, id)
  if (reason !== undefined) return `it is locked${reason === '' ? '' : ` (${reason.trim()})`}`
  const paths = await uncommittedIn(
    await openWorkTree(tools, repository, known, known.exclude),
    known,
  )
  if (paths.length === 0) return undefined
  const more = paths.length > shownMax ? ` and ${paths.length - shownMax} more` : ''
  return `it has uncommitted changes: ${paths.slice(0, shownMax).join(', ')}${more}`
}

async function uncommittedIn(tree: WorkTree, known: KnownWorktree): Promise<readonly string[]> {
  const tip = await tipOf(tree, branchRef(known.branch))
  const base = tip?.tree ?? known.base.commit
  const id = await withUsableFolders(tree, () => snapshotWorkTree(tree, async () => base))
  if (id === base) return []
  const { stdout } = await tree.git({
    at: tree.own.at(tree.path),
    command: 'diff-tree',
    options: ['-r', '-z', '--name-only', '--no-renames'],
    operands: [base, id],
  })
  return split(stdout).map((path) => show(path))
}

export async function whyUnmerged(
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
    const commit = await commitOf(tools.git, repository, target)
    if (commit !== undefined && (await has(tools, repository, commit, tip, base.commit)))
      return undefined
  }
  return `its commits are not in ${targets.join(' or ')}`
}

async function has(
  tools: Tools,
  repository: Repository,
  target: string,
  tip: string,
  base: string,
): Promise<boolean> {
  const { exitCode } = await tools.git({
    at: { gitDir: repository.commonDir },
    command: 'merge-base',
    options: ['--is-ancestor'],
    operands: [tip, target],
    answers: [0, 1],
  })
  return exitCode === 0 || addsNothing(tools, repository, { target, tip, base })
}

/**
 * As after a squash: the commits are not there, but all that they changed is. A branch that ends where
 * it began adds nothing to anything; that does not mean that its commits are anywhere.
 */
async function addsNothing(
  tools: Tools,
  repository: Repository,
  { target, tip, base }: { readonly target: string; readonly tip: string; readonly base: string },
): Promise<boolean> {
  const merged = await mergeTrees(tools, repository, target, tip)
  const tree = (commit: string): Promise<string> => treeOf(tools, repository, commit)
  if (merged.type !== 'clean' || merged.tree !== (await tree(target))) return false
  return (await tree(tip)) !== (await tree(base))
}
