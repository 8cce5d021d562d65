/** The history of a repository as data for prompts: commits, differences, branches. Runs no code of the repository. */

import { fromBuffer, toDisplay } from '../bytes.ts'
import { type BranchCommit, listBranchCommits } from '../git/branch-commits.ts'
import { openGitTrees } from '../git/git-trees.ts'
import { isObjectId, resolveCommit } from '../git/refs.ts'
import { findRepository, type Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'
import { worktreeFiles } from '../worktree/worktree-files.ts'
import { readRecords } from '../worktree/worktree-record.ts'

export interface History {
  readonly repository: Repository
  /** The commit that is checked out. */
  readonly head: string
  /** By any name that git accepts. Undefined: there is no such commit. */
  resolve(ref: string): Promise<string | undefined>
  commits(range: {
    readonly max: number
    readonly sinceMs?: number
    readonly after?: string
  }): Promise<readonly BranchCommit[]>
  /** Of the commit that is checked out, from another. Truncated at `bytesMax`. */
  patchFrom(commit: string, bytesMax: number): Promise<string>
  /** The newest first, without those of runs. */
  branches(max: number): Promise<readonly ListedBranch[]>
}

export interface ListedBranch {
  /** Such as `main` or `origin/main`. */
  readonly name: string
  readonly commit: string
  readonly atMs: number
  readonly subject: string
  /** Everything in it is in the commit that is checked out. */
  readonly isMerged: boolean
}

/** Undefined: the repository has no commit. Rejects if the folder is in no repository. */
export async function openHistory(
  folder: string,
  git: RunGit = runGit,
): Promise<History | undefined> {
  const repository = await findRepository(folder, { git })
  const resolve = (ref: string): Promise<string | undefined> =>
    resolveCommit(git, repository, ref, repository.gitDir)
  const head = await resolve('HEAD')
  if (head === undefined) return undefined
  return {
    repository,
    head,
    resolve,
    commits: ({ after, ...range }) =>
      listBranchCommits(
        repository,
        { ...range, head, ...(after === undefined ? {} : { base: after }) },
        git,
      ),
    async patchFrom(commit, bytesMax) {
      const trees = openGitTrees(repository, { git })
      const [before, after] = await Promise.all([
        trees.resolveTree(commit),
        trees.resolveTree(head),
      ])
      if (before === undefined || after === undefined) return ''
      return trees.patch(before, after, bytesMax)
    },
    branches: (max) => listBranches(git, repository, head, max),
  }
}

const outputBytesMax = 4 * 1024 * 1024

async function listBranches(
  git: RunGit,
  repository: Repository,
  head: string,
  max: number,
): Promise<readonly ListedBranch[]> {
  const [all, merged, records] = await Promise.all([
    listRefs(git, repository, [
      '--sort=-committerdate',
      '--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(subject)%00',
    ]),
    listRefs(git, repository, [`--merged=${head}`, '--format=%(refname)']),
    readRecords(worktreeFiles, repository),
  ])
  const isMerged = new Set(merged)
  const ours = new Set(records.map(({ branch }) => `refs/heads/${branch}`))
  return all
    .flatMap((line): ListedBranch[] => {
      const [ref = '', commit = '', seconds = '', subject = ''] = line.split('\0')
      // The last one is a symbolic ref to another branch.
      if (!isObjectId(commit) || ours.has(ref) || /^refs\/remotes\/[^/]+\/HEAD$/.test(ref))
        return []
      const name = toDisplay(ref.replace(/^refs\/(heads|remotes)\//, ''))
      const atMs = Number(seconds) * 1000
      return [{ name, commit, atMs, subject: toDisplay(subject), isMerged: isMerged.has(ref) }]
    })
    .slice(0, max)
}

async function listRefs(
  git: RunGit,
  { commonDir }: Repository,
  options: readonly string[],
): Promise<readonly string[]> {
  const { stdout } = await git({
    at: { gitDir: commonDir },
    command: 'for-each-ref',
    options,
    operands: ['refs/heads', 'refs/remotes'],
    outputBytesMax,
  })
  return fromBuffer(stdout)
    .split('\n')
    .filter((line) => line !== '')
}
