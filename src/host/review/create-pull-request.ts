/**
 * Pushes the branch of a run and opens a pull request with `gh`. Only at a person's request, and only if the branch has
 * exactly the certified tree.
 */

import { homedir } from 'node:os'
import { loadRun, readCreated } from '../../engine/index.ts'
import { type Review, recordReview } from '../../history/review.ts'
import { LoopError } from '../../loop/index.ts'
import { repositoryOf } from '../../runs/place-run.ts'
import type { Runs } from '../../runs/runs.ts'
import {
  findOnPath,
  findRemote,
  GitError,
  isBranchName,
  listBranchCommits,
  listProjectFolders,
  pushCommit,
  runProgram,
} from '../../workspace/index.ts'
import { requireCertified } from '../merge-run.ts'

export interface PullRequestOptions {
  readonly by: string
  /** Default: `origin`. */
  readonly remote?: string
  /** The branch to merge into. Default: the one that the run began from. */
  readonly base?: string
  readonly title?: string
  readonly body?: string
  readonly draft?: boolean
}

export interface PullRequest {
  readonly url: string
  readonly remote: string
  readonly branch: string
  readonly base: string
  readonly commit: string
  readonly review: Review
}

const titleCharsMax = 250
const bodyCharsMax = 60_000
const timeoutMs = 60_000

/** Rejects with `missing-program` without `gh`, and `wrong-status` if the run is not certified. */
export async function createPullRequest(
  { journal }: Pick<Runs, 'journal'>,
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
  const remote = await findRemote(repository, options.remote ?? 'origin')
  const program = await requireGh(listProjectFolders(repository))
  const range = { base: worktree.base.commit, head: `refs/heads/${branch}`, max: 1 }
  const [tip] = await listBranchCommits(repository, range)
  if (tip === undefined) {
    const message = `The branch of run "${run.name}" has no commits: nothing was changed.`
    throw new LoopError('wrong-status', `${message} See what it did: loopctl inspect ${run.name}`)
  }
  await pushCommit(repository, remote, { commit: tip.commit, branch })
  const vouched = certificate === undefined ? '' : ` Certified: ${certificate.id}.`
  const url = await runGhPrCreate(program, {
    repository: ownerAndName(remote.url),
    branch,
    base,
    title: options.title ?? `${run.loop}: ${run.name}`,
    body:
      options.body ?? `Made by run ${run.name} (${run.id}) of the loop ${run.loop}.${vouched}\n`,
    isDraft: options.draft === true,
  })
  const review = await recordReview({ journal }, run.id, {
    status: 'pr-created',
    by: options.by,
    url,
    branch,
    commit: tip.commit,
  })
  return { url, remote: remote.name, branch, base, commit: tip.commit, review }
}

async function requireGh(projectFolders: readonly string[]): Promise<string> {
  const [program] = await findOnPath('gh', { projectFolders })
  if (program !== undefined) return program
  throw new LoopError(
    'missing-program',
    'gh is not installed; it is needed to open pull requests. Install it (https://cli.github.com) and log in ' +
      '(gh auth login), or push the branch and open the pull request yourself.',
  )
}

interface PullRequestArguments {
  readonly repository: string
  readonly branch: string
  readonly base: string
  readonly title: string
  readonly body: string
  readonly isDraft: boolean
}

/** Passes everything as arguments, so that `gh` reads no repository. */
async function runGhPrCreate(program: string, request: PullRequestArguments): Promise<string> {
  const { repository, branch, base, title, body, isDraft } = request
  const args = [
    'pr',
    'create',
    `--repo=${repository}`,
    `--head=${branch}`,
    `--base=${base}`,
    `--title=${title.slice(0, titleCharsMax)}`,
    '--body-file=-',
    ...(isDraft ? ['--draft'] : []),
  ]
  try {
    const input = Buffer.from(body.slice(0, bodyCharsMax))
    const called = { name: 'gh pr create', program, args, env: ghEnvironment() }
    const { stdout } = await runProgram(called, { input, timeoutMs })
    const url = /https?:\/\/\S+/.exec(stdout.toString('utf8'))?.[0]
    if (url !== undefined) return url
    throw new LoopError(
      'workspace-failed',
      `gh did not print the URL of a pull request. ${pushed(branch)}`,
    )
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const message = `The pull request was not opened: ${error.message.replace(/[.\s]+$/, '')}.`
    throw new LoopError('workspace-failed', `${message} ${pushed(branch)}`, { cause: error })
  }
}

const pushed = (branch: string): string =>
  `The branch ${branch} is pushed. Open the pull request yourself, or fix the problem and try again.`

const passedOn = /^(GH_\w+|GITHUB_TOKEN|XDG_CONFIG_HOME|HTTPS_PROXY|https_proxy|NO_PROXY)$/

const ghEnvironment = (): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => passedOn.test(entry[0]) && entry[1] !== undefined,
    ),
  ),
  HOME: homedir(),
  PATH: ['/usr/local/bin', '/usr/bin', '/bin'].join(':'),
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  NO_COLOR: '1',
})

/** `https://host/owner/name.git` and `git@host:owner/name` as `host/owner/name`. */
function ownerAndName(url: string): string {
  const found =
    /^(?:https:\/\/|ssh:\/\/)?(?:[^@/\s]+@)?([^/:\s]+)?(?::\d+)?[/:](\S+?)(?:\.git)?\/?$/.exec(
      url.replace(/^file:\/\//, ''),
    )
  const path = (found?.[2] ?? '').split('/').slice(-2)
  const host = found?.[1]
  if (path.length === 2 && path.every((part) => part !== '')) {
    return [...(host === undefined ? [] : [host]), ...path].join('/')
  }
  const message = 'The URL of the remote does not contain the owner and name of the repository.'
  throw new LoopError('bad-request', `${message} Pass another remote with --remote.`)
}
