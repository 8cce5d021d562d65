/** The repository of a run, as its actions use it. */

import { type ActionRepository, definite } from '../../authority/index.ts'
import type { NewMerge } from '../../engine/index.ts'
import { defined, LoopError, type RunId, type RunWorktree, type TreeId } from '../../loop/index.ts'
import {
  applyWork,
  commitWork,
  findCommitByLine,
  findRemote,
  isBranchName,
  type Landings,
  listBranchCommits,
  mergeTargetDefault,
  openGitTrees,
  openLandings,
  pushCommit,
  type Repository,
  readAppliedState,
} from '../../workspace/index.ts'
import { type LandingEnd, trailer } from '../landing/landing.ts'
import { ownerAndName } from './gh.ts'

export interface RunRepositoryOptions {
  readonly repository: Repository
  readonly worktree: Pick<RunWorktree, 'key' | 'branch' | 'base'>
  /** The checkout that patches are applied to. Absent: there is none. */
  readonly checkout?: string | undefined
  readonly run: { readonly id: RunId; readonly name: string }
  readonly loop: string
  /** Absent: nothing can be merged. */
  readonly land?: LandRun
}

export interface LandRun {
  /** Puts work into the merge queue and waits for the end of it. */
  (request: LandRequest): Promise<LandingEnd>
  /** Records what a killed process had done. */
  settle?(line: SettledLine): Promise<void>
}

export interface SettledLine extends Pick<LandRequest, 'repository' | 'git'> {
  readonly target: string
}

export interface LandRequest {
  readonly work: Omit<NewMerge, 'run' | 'repository' | 'queuedAtMs'>
  readonly git: Landings
  readonly repository: Repository
  readonly run: RunId
  readonly context: MergeContext
}

type MergeContext = Parameters<ActionRepository['merge']>[0]['context']

export function openRunRepository(options: RunRepositoryOptions): ActionRepository {
  const { repository, worktree, checkout, run, loop, land = cannotLand } = options
  const { key: worktreeKey, branch, base } = worktree
  const git = openLandings(repository)
  const title = `${loop}: ${run.name}`
  const targetOf = (into: string | undefined): string => into ?? mergeTargetDefault(loop)
  const branchOf = (wanted: string | undefined): string => wanted ?? `agent/${run.name}`
  const folder = (): string => checkout ?? raise(noCheckout())
  return {
    title,
    branch,
    baseBranch: base.name.replace(/^(refs\/heads\/|origin\/)/, ''),
    async merge({ into, strategy, key, tree, fence, context }) {
      await definite(() => requireTip(repository, branch, tree))
      const target = targetOf(into)
      await definite(() => requireNotCheckedOut(git, target, branch))
      const commit = await definite(async () => (await git.tip(branch)) ?? raise(gone(branch)))
      const message = `${title}\n\nLoopwright-Run: ${run.id}\n${trailer(key)}`
      const work = { key, target, branch, commit, tree, base: base.commit, strategy, message }
      // The queue has a separate fence. Only the owner of the run may put work into it.
      await fence()
      const end = await land({ work, git, repository, run: run.id, context })
      if (end.state === 'merged') await git.record(worktreeKey, target)
      return toOutcome(target, end)
    },
    async findMerge({ key, into }) {
      const target = targetOf(into)
      const commit = await git.find(target, base.commit, trailer(key))
      if (commit === undefined) return undefined
      await land.settle?.({ repository, target, git })
      await git.record(worktreeKey, target)
      return { target, commit }
    },
    async commit({ key, tree, fence, message = title, ...wanted }) {
      const to = branchOf(wanted.branch)
      const text = `${message}\n\nLoopwright-Run: ${run.id}\n${trailer(key)}`
      const request = { repository, branch: to, base: base.commit, tree, message: text }
      return { branch: to, commit: await commitWork({ ...request, beforeRef: fence }) }
    },
    async findCommit({ key, ...wanted }) {
      const to = branchOf(wanted.branch)
      const found = { branch: to, base: base.commit, line: trailer(key) }
      const commit = await findCommitByLine(repository, found)
      return commit === undefined ? undefined : { branch: to, commit }
    },
    apply: async ({ fence, ...trees }) =>
      applyWork({ repository, folder: folder(), ...trees, beforeWrite: fence }),
    async findApplied(trees) {
      const state = await readAppliedState({ repository, folder: folder(), ...trees })
      if (state === 'work') return 'done'
      return state === 'base' ? 'not-done' : 'unknown'
    },
    async push({ remote: name, tree, fence }) {
      await requireTip(repository, branch, tree)
      const remote = await findRemote(repository, name)
      const range = { base: base.commit, head: `refs/heads/${branch}`, max: 1 }
      const [tip] = await listBranchCommits(repository, range)
      if (tip === undefined) {
        throw nothingToPush(branch)
      }
      await fence()
      await pushCommit(repository, remote, { commit: tip.commit, branch })
      return { remote: remote.name, branch, commit: tip.commit }
    },
    slugOf: async (name) => ownerAndName((await findRemote(repository, name)).url),
  }
}

function toOutcome(
  target: string,
  end: LandingEnd,
): Awaited<ReturnType<ActionRepository['merge']>> {
  switch (end.state) {
    case 'merged': {
      const { commit, certificate } = end
      if (commit === undefined) return { status: 'nothing', target }
      return { status: 'merged', target, commit, ...defined({ certificate }) }
    }
    case 'conflict': {
      const { reason, conflict } = end
      const { files, tree, base, onto: commit } = conflict
      return { status: 'conflict', target, files, reason, rework: { tree, base, commit } }
    }
    case 'failed':
      return { status: 'failed', target, reason: end.reason }
  }
}

/** Its files would no longer match it. */
export async function requireNotCheckedOut(
  git: Landings,
  target: string,
  branch: string,
  command = `git merge ${branch}`,
): Promise<void> {
  const folder = await git.checkout(target)
  if (folder === undefined) return
  const message = `The branch ${target} is checked out in ${folder}, and its files would no longer match.`
  throw new LoopError('wrong-status', `${message} Merge it there: ${command}`)
}

const cannotLand: LandRun = () =>
  Promise.reject(new LoopError('not-available', 'This process cannot merge. Use loopctl merge.'))

const gone = (branch: string): LoopError =>
  new LoopError(
    'wrong-status',
    `There is no branch ${branch}, so nothing can be merged. To list the branches, run: git branch`,
  )

const raise = (error: LoopError): never => {
  throw error
}

const noCheckout = (): LoopError =>
  new LoopError(
    'bad-request',
    'There is no checkout to apply the changes to. Run the loop in a worktree of a checkout.',
  )

const nothingToPush = (branch: string): LoopError =>
  new LoopError(
    'wrong-status',
    `The branch ${branch} has no commits, so there is nothing to push. Run the loop until it changes something.`,
  )

/** The branch may have later commits, which nothing vouches for. */
async function requireTip(repository: Repository, branch: string, tree: TreeId): Promise<void> {
  if (!isBranchName(branch))
    throw new LoopError(
      'bad-request',
      `${JSON.stringify(branch)} is not a branch name. Use another name.`,
    )
  const found = await openGitTrees(repository).resolveTree(`refs/heads/${branch}`)
  if (found === tree) return
  const message = `${branch} does not have the tree that was certified.`
  throw new LoopError('wrong-status', `${message} Revert its later commits, or certify them.`)
}
