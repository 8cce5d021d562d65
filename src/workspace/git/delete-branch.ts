/** Deletes a branch that is not checked out. */

import { join } from 'node:path'
import { type WorktreeFiles, worktreeFiles } from '../worktree/worktree-files.ts'
import { branchRef, changeRef, resolveCommit } from './refs.ts'
import type { Repository } from './repository.ts'
import { type RunGit, runGit } from './run-git.ts'
import { readBelow } from './small-file.ts'

/** False if the branch does not exist or is checked out. */
export async function deleteBranch(
  repository: Repository,
  branch: string,
  git: RunGit = runGit,
  files: WorktreeFiles = worktreeFiles,
): Promise<boolean> {
  const ref = branchRef(branch)
  const from = await resolveCommit(git, repository, ref)
  if (from === undefined || (await isCheckedOut(files, repository, ref))) return false
  return changeRef(git, repository, { ref, to: undefined, from })
}

async function isCheckedOut(
  files: WorktreeFiles,
  { commonDir }: Repository,
  ref: string,
): Promise<boolean> {
  const folder = join(commonDir, 'worktrees')
  const names = await files.readdir(folder).catch(() => [])
  const heads = [join(commonDir, 'HEAD'), ...names.map((name) => join(folder, name, 'HEAD'))]
  for (const head of heads) {
    if ((await readBelow(files, commonDir, head))?.trim() === `ref: ${ref}`) return true
  }
  return false
}
