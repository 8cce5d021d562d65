/** The repository of a run, as its actions use it. */

import { type ActionRepository, definite } from '../../authority/index.ts'
import { LoopError, type RunWorktree, type TreeId } from '../../loop/index.ts'
import {
  applyWork,
  commitWork,
  findCommitByLine,
  findRemote,
  isBranchName,
  listBranchCommits,
  mergeTargetDefault,
  mergeWork,
  openGitTrees,
  pushCommit,
  type Repository,
  readAppliedState,
} from '../../workspace/index.ts'
import { ownerAndName } from './gh.ts'

export interface RunRepositoryOptions {
  readonly repository: Repository
  readonly worktree: Pick<RunWorktree, 'key' | 'branch' | 'base'>
  /** The checkout that patches are applied to. Absent: there is none. */
  readonly checkout?: string | undefined
  readonly run: { readonly id: string; readonly name: string }
  readonly loop: string
}

/** The line of a commit message by which an action is found again. */
const trailer = (key: string): string => `Loopwright-Action: ${key}`

export function openRunRepository(options: RunRepositoryOptions): ActionRepository {
  const { repository, worktree, checkout, run, loop } = options
  const { key: worktreeKey, branch, base } = worktree
  const title = `${loop}: ${run.name}`
  const targetOf = (into: string | undefined): string => into ?? mergeTargetDefault(loop)
  const branchOf = (wanted: string | undefined): string => wanted ?? `agent/${run.name}`
  const folder = (): string => checkout ?? raise(noCheckout())
  return {
    title,
    branch,
    baseBranch: base.name.replace(/^(refs\/heads\/|origin\/)/, ''),
    async merge({ into, strategy, key, tree, fence }) {
      await definite(() => requireTip(repository, branch, tree))
      return mergeWork({
        repository,
        key: worktreeKey,
        branch,
        base: base.commit,
        target: targetOf(into),
        strategy,
        message: `${title}\n\nLoopwright-Run: ${run.id}\n${trailer(key)}`,
        beforeRef: fence,
      })
    },
    async findMerge({ key, into }) {
      const target = targetOf(into)
      const found = { branch: target, base: base.commit, line: trailer(key) }
      const commit = await findCommitByLine(repository, found)
      return commit === undefined ? undefined : { target, commit }
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
