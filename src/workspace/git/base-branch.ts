/**
 * What a run starts from, when nobody says: what is checked out, a branch or a commit. Where the branch has no
 * commit yet, what the remote has, else `main`.
 */

import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import type { Tools } from './open-work-tree.ts'
import { commitOf, type ObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import { readBelow } from './small-file.ts'
import type { WorktreeFiles } from './worktree-files.ts'

export interface Base {
  readonly name: string
  readonly commit: ObjectId
  /** It is what the checkout has. */
  readonly isCheckedOut: boolean
}

export async function findBase(
  { git, files }: Pick<Tools, 'git' | 'files'>,
  repository: Repository,
  wanted?: string,
): Promise<Base> {
  if (wanted !== undefined) {
    const commit = await commitOf(git, repository, wanted, repository.gitDir)
    if (commit !== undefined) return { name: wanted, commit, isCheckedOut: false }
    const message = `There is no commit ${JSON.stringify(wanted)} in ${repository.home}.`
    throw new LoopError('bad-request', `${message} Give a branch, a tag or a commit that exists.`)
  }
  const branch = await targetOf(files, repository.gitDir, 'HEAD')
  if (branch === undefined) {
    const commit = await commitOf(git, repository, 'HEAD', repository.gitDir)
    if (commit !== undefined) return { name: detached, commit, isCheckedOut: true }
  }
  const candidates = [
    async () => branch,
    () => targetOf(files, repository.commonDir, 'refs/remotes/origin/HEAD'),
    async () => 'refs/heads/main',
    async () => 'refs/heads/master',
  ]
  for (const [index, candidate] of candidates.entries()) {
    const ref = await candidate()
    const commit = ref === undefined ? undefined : await commitOf(git, repository, ref)
    if (ref === undefined || commit === undefined) continue
    return { name: shortName(ref), commit, isCheckedOut: index === 0 }
  }
  const message = `The repository ${repository.home} has no commit yet.`
  throw new LoopError('workspace-failed', `${message} Make one with git commit.`)
}

/** The name of what is checked out where that is no branch. */
export const detached = 'HEAD'

/** The branch that a symbolic ref names. They are files of their own, always. */
async function targetOf(
  files: WorktreeFiles,
  folder: string,
  ref: string,
): Promise<string | undefined> {
  const content = (await readBelow(files, folder, join(folder, ref)).catch(() => undefined)) ?? ''
  return /^ref: (refs\/\S+)\n?$/.exec(content)?.[1]
}

const shortName = (ref: string): string => ref.replace(/^refs\/(heads|remotes)\//, '')
