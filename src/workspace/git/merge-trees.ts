/** A merge in memory: no work tree, no index and no ref is touched, and no driver of a repository is run. */

import { join } from 'node:path'
import { show } from '../bytes.ts'
import { split } from './list-changes.ts'
import type { Tools } from './open-work-tree.ts'
import { makeOwnDirectory } from './own-directory.ts'
import type { ObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import type { GitPlace } from './run-git.ts'

export type Merge =
  | { readonly type: 'clean'; readonly tree: ObjectId }
  | { readonly type: 'conflict'; readonly files: readonly string[] }
  /** They have no history in common, or it is not all here. */
  | { readonly type: 'unrelated' }

type GitAndFiles = Pick<Tools, 'git' | 'files'>

export async function mergeTrees(
  tools: GitAndFiles,
  repository: Repository,
  ours: ObjectId,
  theirs: ObjectId,
): Promise<Merge> {
  const { exitCode, stdout } = await tools.git({
    at: await mergePlace(tools, repository),
    command: 'merge-tree',
    options: ['--write-tree', '-z', '--name-only', '--no-messages'],
    operands: [ours, theirs],
    answers: [0, 1, 128],
  })
  const [tree, ...files] = split(stdout)
  if (exitCode === 128 || tree === undefined) return { type: 'unrelated' }
  if (exitCode === 0) return { type: 'clean', tree }
  return { type: 'conflict', files: files.map((file) => show(file)) }
}

export async function treeOf(
  tools: GitAndFiles,
  repository: Repository,
  commit: ObjectId,
): Promise<ObjectId> {
  const { stdout } = await tools.git({
    at: await mergePlace(tools, repository),
    command: 'rev-parse',
    options: ['--verify'],
    operands: [`${commit}^{tree}`],
  })
  return stdout.toString('latin1').trim()
}

/** Objects of the repository, and none of its settings. */
export async function mergePlace(
  { files }: Pick<Tools, 'files'>,
  repository: Repository,
): Promise<GitPlace> {
  const path = join(repository.commonDir, 'loopwright', 'merge')
  const own = await makeOwnDirectory(files, { repository, path, exact: true })
  return { ...own.at(path), shallowFile: join(repository.commonDir, 'shallow') }
}
