/**
 * Pushes the branch of a run and opens a pull request with `gh`. Only at a person's request, and only if the branch has
 * exactly the certified tree.
 */

import { openPrExecutor } from '../../authority/index.ts'
import { loadRun, readCreated, systemClock } from '../../engine/index.ts'
import { requireCertified } from '../../history/completed-work.ts'
import { type Review, recordReview } from '../../history/review.ts'
import { findGh } from '../../launch/authority/gh.ts'
import { openRunRepository } from '../../launch/authority/run-repository.ts'
import { defined, LoopError } from '../../loop/index.ts'
import { repositoryOf } from '../../runs/place-run.ts'
import type { Runs } from '../../runs/runs.ts'
import { isBranchName, listProjectFolders, openGitTrees } from '../../workspace/index.ts'
import { actAsPerson } from '../act-as-person.ts'
import { listChanges } from '../merge-run.ts'

export interface PullRequestOptions {
  readonly by: string
  /** Default: `origin`. */
  readonly remote?: string
  /** The branch to merge into. Default: the one that the run began from. */
  readonly base?: string
  readonly title?: string
  readonly body?: string
  readonly draft?: boolean
  /** About an earlier request whose result is unknown: it happened, or is to be done again. */
  readonly earlier?: 'happened' | 'again'
}

export interface PullRequest {
  readonly url: string
  readonly remote: string
  readonly branch: string
  readonly base: string
  readonly commit: string
  readonly review: Review
}

type OpenedPullRequest = Pick<PullRequest, 'url' | 'commit'>

/** Rejects with `missing-program` without `gh`, and `wrong-status` if the run is not certified. */
export async function createPullRequest(
  { journal, folder }: Pick<Runs, 'journal' | 'folder'>,
  idOrName: string,
  options: PullRequestOptions,
): Promise<PullRequest> {
  const run = await journal.findRun(idOrName)
  const { worktree } = await readCreated(journal, run.id)
  if (worktree === undefined) {
    const message = `Run "${run.name}" did not work in a worktree, so it has no branch.`
    throw new LoopError('bad-request', `${message} Commit its changes, and push them yourself.`)
  }
  if (run.status !== 'completed') {
    const message = `Run "${run.name}" is not completed (${run.status}), so no check vouches for its work.`
    throw new LoopError('wrong-status', `${message} Look at it with: loopctl diff ${run.name}`)
  }
  const { branch } = worktree
  const base = options.base ?? worktree.base.name.replace(/^(refs\/heads\/|origin\/)/, '')
  if (!isBranchName(base)) {
    const message = `${JSON.stringify(base)} is not a branch to merge into. Pass one with --base.`
    throw new LoopError('bad-request', message)
  }
  const repository = await repositoryOf(worktree)
  const { certificate } = (await loadRun(journal, run.id)).state
  await requireCertified(repository, run.name, branch, certificate?.tree)
  const vouched = certificate === undefined ? '' : ` Certified: ${certificate.id}.`
  const about = `Made by run ${run.name} (${run.id}) of the loop ${run.loop}.${vouched}\n`
  const { remote = 'origin', title, body = about, draft = false } = options
  const work = openRunRepository({
    repository,
    worktree,
    run: { id: run.id, name: run.name },
    loop: run.loop,
  })
  const actions = openPrExecutor({
    repository: work,
    gh: () => findGh(listProjectFolders(repository)),
  })
  const action = {
    kind: 'open-pr',
    summary: `Open a pull request of ${run.name} into ${base}`,
    details: { base, remote, body, draft, ...defined({ title }) },
  }
  const tree = await openGitTrees(repository).resolveTree(`refs/heads/${branch}`)
  const ports = { journal, folder, clock: systemClock }
  const { by, earlier } = options
  const files = await listChanges(repository, worktree, tree)
  const request = { action, actions, by, tree, files, repository, earlier }
  const { receipt } = await actAsPerson(ports, run, request)
  const { url = '', commit = '' } = (receipt.details ?? {}) as Partial<OpenedPullRequest>
  const review = await recordReview({ journal }, run.id, {
    status: 'pr-created',
    by,
    url,
    branch,
    commit,
  })
  return { url, remote, branch, base, commit, review }
}
