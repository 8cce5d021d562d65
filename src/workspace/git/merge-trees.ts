/** Merges in memory: touches no work tree, index or ref, and runs no merge driver of the repository. */

import { join } from 'node:path'
import { toDisplay } from '../bytes.ts'
import type { Tools } from '../worktree/open-work-tree.ts'
import { splitNul } from './list-changes.ts'
import { createPrivateGitDir } from './private-git-dir.ts'
import { type ObjectId, resolveObjects } from './refs.ts'
import type { Repository } from './repository.ts'
import type { GitLocation } from './run-git.ts'
import { GitError } from './run-program.ts'

export type Merge =
  | { readonly type: 'clean'; readonly tree: ObjectId }
  /** Conflicts are marked in the files of the tree. */
  | { readonly type: 'conflict'; readonly tree: ObjectId; readonly files: readonly string[] }
  /** They have no common history, or the repository lacks part of it. */
  | { readonly type: 'unrelated' }

type GitAndFiles = Pick<Tools, 'git' | 'files'>

export async function mergeTrees(
  tools: GitAndFiles,
  repository: Repository,
  ours: ObjectId,
  theirs: ObjectId,
): Promise<Merge> {
  const { exitCode, stdout } = await tools.git({
    at: await createMergeLocation(tools, repository),
    command: 'merge-tree',
    options: ['--write-tree', '-z', '--name-only', '--no-messages'],
    operands: [ours, theirs],
    answers: [0, 1, 128],
  })
  const [tree, ...files] = splitNul(stdout)
  if (exitCode === 128 || tree === undefined) return { type: 'unrelated' }
  if (exitCode === 0) return { type: 'clean', tree }
  return { type: 'conflict', tree, files: files.map((file) => toDisplay(file)) }
}

export async function readTreeId(
  { git }: Pick<Tools, 'git'>,
  { commonDir }: Repository,
  commit: ObjectId,
): Promise<ObjectId> {
  const [id] = await resolveObjects(git, commonDir, [`${commit}^{tree}`])
  if (id !== undefined) return id
  throw new GitError('refused', 'git cat-file', `there is no commit ${commit}`)
}

/** Uses the objects of the repository, and none of its settings. */
export async function createMergeLocation(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
): Promise<GitLocation> {
  const path = join(repository.commonDir, 'loopwright', 'merge')
  const own = await createPrivateGitDir(files, { repository, path, exact: true })
  return { ...own.at(path), shallowFile: join(repository.commonDir, 'shallow') }
}
