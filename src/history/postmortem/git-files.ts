/** The git status and patches of a run, as text files for its postmortem. Skips what is no longer available. */

import { type RunRow, readCreated } from '../../engine/index.ts'
import { repositoryOf } from '../../runs/place-run.ts'
import { findWorktree, listWorktreeChanges, openGitTrees } from '../../workspace/index.ts'
import { type ReviewDiff, reviewDiff } from '../review-diff.ts'
import type { FolderHost } from '../run-folder/options.ts'

export type GitFiles = Readonly<Partial<Record<GitFileName, string>>>

type GitFileName =
  | 'git-status.txt'
  | 'git-last-commit.txt'
  | 'git-last-commit.patch'
  | 'git-diff.patch'

const patchCharsMax = 1024 * 1024

export async function gitFiles(
  host: FolderHost,
  run: RunRow,
  compared?: ReviewDiff,
): Promise<GitFiles> {
  const diff = compared ?? (await reviewDiff(host, run.id).catch(() => undefined))
  if (diff === undefined) return {}
  const [last] = diff.commits
  return {
    'git-diff.patch': joinPatches(diff),
    ...(await readStatus(host, run)),
    ...(last === undefined
      ? {}
      : {
          'git-last-commit.txt': `commit ${last.sha}\nAuthor: ${last.author}\nDate: ${new Date(last.timestampMs).toISOString()}\n\n${last.message}\n`,
          ...(await readLastPatch(host, run, last.sha, diff)),
        }),
  }
}

const joinPatches = ({ files }: ReviewDiff): string =>
  files
    .map(({ patch = '' }) => patch)
    .join('')
    .slice(0, patchCharsMax)

async function readStatus(
  { journal }: FolderHost,
  { id }: RunRow,
): Promise<Pick<GitFiles, 'git-status.txt'>> {
  const { worktree } = await readCreated(journal, id)
  if (worktree === undefined) return {}
  try {
    const repository = await repositoryOf(worktree)
    const known = await findWorktree(repository, worktree.key)
    if (known === undefined) return {}
    const uncommitted = await listWorktreeChanges(repository, known)
    const paths = uncommitted.map((path) => `?? ${path}\n`).join('')
    return { 'git-status.txt': `## ${worktree.branch}\n${paths}` }
  } catch {
    return {}
  }
}

async function readLastPatch(
  { journal }: FolderHost,
  { id }: RunRow,
  commit: string,
  diff: ReviewDiff,
): Promise<Pick<GitFiles, 'git-last-commit.patch'>> {
  const { worktree } = await readCreated(journal, id)
  if (worktree === undefined) return {}
  const trees = openGitTrees(await repositoryOf(worktree))
  const [base, before, after] = await Promise.all([
    trees.resolveTree(diff.baseRef),
    trees.resolveTree(`${commit}^`),
    trees.resolveTree(commit),
  ])
  if (before === undefined || after === undefined) return {}
  // The only commit of the run.
  if (before === base && !diff.isCut) return { 'git-last-commit.patch': joinPatches(diff) }
  return { 'git-last-commit.patch': await trees.patch(before, after, patchCharsMax) }
}
