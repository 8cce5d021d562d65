/** Puts a tree on a new branch as one commit, and finds commits by a line of their message. Touches no checkout. */

import { LoopError, type TreeId } from '../../loop/index.ts'
import { listBranchCommits } from '../git/branch-commits.ts'
import { writeCommitObject } from '../git/commit-tree.ts'
import { fromTreeId } from '../git/git-tree-id.ts'
import { createMergeLocation } from '../git/merge-trees.ts'
import { requireBranchName } from '../git/names.ts'
import { branchRef, changeRef, type ObjectId } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'
import { worktreeFiles } from '../worktree/worktree-files.ts'

export interface CommitWorkOptions {
  readonly repository: Repository
  /** Must not exist yet. */
  readonly branch: string
  readonly base: ObjectId
  readonly tree: TreeId
  readonly message: string
  /** Called before the branch is created; an error prevents it (a fence). */
  readonly beforeRef?: () => Promise<void>
  readonly git?: RunGit
}

/** Rejects with `wrong-status` if the branch exists. */
export async function commitWork({
  repository,
  base,
  tree,
  message,
  beforeRef,
  git = runGit,
  ...options
}: CommitWorkOptions): Promise<ObjectId> {
  const branch = requireBranchName(options.branch)
  const at = await createMergeLocation({ files: worktreeFiles }, repository)
  const commit = await writeCommitObject(git, at, fromTreeId(tree), [base], `${message}\n`)
  await beforeRef?.()
  const change = {
    ref: branchRef(branch),
    to: commit,
    from: undefined,
    reason: 'loopwright: commit',
  }
  if (await changeRef(git, repository, change)) return commit
  throw new LoopError('wrong-status', `The branch ${branch} already exists. Use another branch.`)
}

const commitsMax = 1000

/** The newest commit of a branch, after its base, whose message has this line. */
export async function findCommitByLine(
  repository: Repository,
  { branch, base, line }: { readonly branch: string; readonly base: string; readonly line: string },
  git: RunGit = runGit,
): Promise<ObjectId | undefined> {
  const range = { base, head: branchRef(branch), max: commitsMax }
  const commits = await listBranchCommits(repository, range, git)
  return commits.find(({ message }) => message.split('\n').includes(line))?.commit
}
