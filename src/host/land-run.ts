/**
 * The last step: the branch with the work of a run is merged into a branch of the user, through the merge queue. It moves
 * forward if it can; otherwise the merged files are certified first. Nothing is pushed, and no checkout is touched: where
 * the branch is checked out, this is refused with the command to type there.
 */

import type { Actions, MergeRow } from '../engine/index.ts'
import { type CompletedWork, requireCompletedWork } from '../history/completed-work.ts'
import { recordReview } from '../history/review.ts'
import { requireNotCheckedOut } from '../launch/authority/run-repository.ts'
import { createEndedRunCertifier, type EndedRunHost } from '../launch/landing/certify-ended-run.ts'
import { createLand } from '../launch/landing/create-land.ts'
import { landExecutor } from '../launch/landing/land-executor.ts'
import { trailer } from '../launch/landing/landing.ts'
import { LoopError, type TreeId } from '../loop/index.ts'
import { isBranchName, type Landings, openLandings } from '../workspace/index.ts'
import { actAsPerson } from './act-as-person.ts'
import { listChanges, type MergeOptions, type MergeResult, toResult } from './merge-run.ts'

export interface LandOptions extends Pick<MergeOptions, 'by' | 'earlier'> {
  /** The branch to land on. It must exist. */
  readonly onto: string
}

export async function landRun(
  base: EndedRunHost,
  idOrName: string,
  { onto, by, earlier }: LandOptions,
): Promise<MergeResult> {
  const work = await requireCompletedWork(base.journal, idOrName)
  const { run, worktree, repository } = work
  const git = openLandings(repository)
  await requireBranch(git, onto)
  const source = await findSource(base, git, work, onto)
  const isForward = await git.contains(source.commit, (await git.tip(onto)) ?? '')
  const command = `git merge ${isForward ? '--ff-only ' : ''}${source.branch}`
  await requireNotCheckedOut(git, onto, source.branch, command)
  let conflict: MergeResult | undefined
  const actions: Actions = landExecutor({
    git,
    base: worktree.base.commit,
    onto,
    async land(key, context) {
      const message = `Land ${source.branch}\n\nLoopwright-Run: ${run.id}\n${trailer(key)}`
      const merged = { ...source, key, target: onto, base: worktree.base.commit, message }
      const land = createLand(base, createEndedRunCertifier(base, work))
      const request = { work: { ...merged, strategy: 'fast-forward' as const }, git, repository }
      const end = await land({ ...request, run: run.id, context })
      if (end.state === 'conflict') {
        const { files } = end.conflict
        const { branch } = source
        conflict = { status: 'conflict', target: onto, branch, files, reason: end.reason }
      }
      return end
    },
  })
  const summary = `Land ${source.branch} with the work of ${run.name} on ${onto}`
  const action = { kind: 'land', summary, details: { onto, from: source.branch } }
  try {
    const files = await listChanges(repository, worktree, source.tree)
    const request = { action, actions, by, tree: source.tree, files, repository, earlier }
    const result = toResult(onto, await actAsPerson(base, run, request))
    const commit = result.status === 'merged' ? { commit: result.commit } : {}
    const review = { status: 'merged', branch: onto, ...commit } as const
    await recordReview(base, run.id, by === undefined ? review : { ...review, by })
    return result
  } catch (error) {
    if (conflict !== undefined) return conflict
    throw error
  }
}

interface Source {
  readonly branch: string
  readonly commit: string
  /** A certified tree; that of the commit if only the queue moved the branch. */
  readonly tree: TreeId
}

/** The branch that the work was merged into; otherwise that of the run. */
async function findSource(
  { journal }: EndedRunHost,
  git: Landings,
  { run, worktree, repository, certificate }: CompletedWork,
  onto: string,
): Promise<Source> {
  const rows = await journal.merges.ofRun(run.id)
  const merged = rows.findLast(
    ({ progress, target }) => progress.state === 'merged' && target !== onto,
  )
  const branch = (await holdsWork(git, merged)) ? (merged?.target ?? '') : worktree.branch
  const commit = await git.tip(branch)
  if (commit === undefined) throw goneBranch(branch)
  const tree = await git.treeOf(commit)
  if (branch === worktree.branch) return { branch, commit, tree }
  const line = { repository: repository.commonDir, target: branch }
  const landed = await journal.merges.landed(line, landedMax)
  const isCertified = landed.some(
    ({ progress }) => progress.state === 'merged' && progress.tree === tree,
  )
  return { branch, commit, tree: isCertified ? tree : (certificate?.tree ?? tree) }
}

const landedMax = 1000

async function holdsWork(git: Landings, merged: MergeRow | undefined): Promise<boolean> {
  const { progress, target } = merged ?? {}
  if (progress?.state !== 'merged' || target === undefined) return false
  const tip = await git.tip(target)
  if (tip === undefined) return false
  return progress.commit === undefined || git.contains(tip, progress.commit)
}

async function requireBranch(git: Landings, onto: string): Promise<void> {
  if (isBranchName(onto) && (await git.tip(onto)) !== undefined) return
  throw goneBranch(onto)
}

const goneBranch = (branch: string): LoopError =>
  new LoopError(
    'bad-request',
    `There is no branch ${JSON.stringify(branch)}. To list the branches, run: git branch`,
  )
