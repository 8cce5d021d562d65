/** The git status and patches of a run, as text files for its postmortem. Skips what is no longer available. */

import { type RunRow, readCreated } from '../../engine/index.ts'
import { repositoryOf } from '../../runs/place-run.ts'
import { findWorktree, openGitTrees, readWorktreeState } from '../../workspace/index.ts'
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
  const combined = diff.files.map(({ patch = '' }) => patch).join('')
  const [last] = diff.commits
  return {
    'git-diff.patch': combined.slice(0, patchCharsMax),
    ...(await readStatus(host, run)),
    ...(last === undefined
      ? {}
      : {
          'git-last-commit.txt': `commit ${last.sha}\nAuthor: ${last.author}\nDate: ${new Date(last.timestampMs).toISOString()}\n\n${last.message}\n`,
          ...(await readLastPatch(host, run, last.sha)),
        }),
  }
}

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
    const { uncommitted } = await readWorktreeState(repository, known)
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
): Promise<Pick<GitFiles, 'git-last-commit.patch'>> {
  const { worktree } = await readCreated(journal, id)
  if (worktree === undefined) return {}
  const trees = openGitTrees(await repositoryOf(worktree))
  const [before, after] = await Promise.all([
    trees.resolveTree(`${commit}^`),
    trees.resolveTree(commit),
  ])
  if (before === undefined || after === undefined) return {}
  return { 'git-last-commit.patch': await trees.patch(before, after, patchCharsMax) }
}
