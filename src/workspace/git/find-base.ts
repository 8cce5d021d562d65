/**
 * Finds the base of a run. Default: what is checked out, a branch or a commit. If the branch has no commit yet,
 * the default branch of the remote, else `main` or `master`.
 */

import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import type { Tools } from '../worktree/open-work-tree.ts'
import type { WorktreeFiles } from '../worktree/worktree-files.ts'
import { type ObjectId, resolveCommit } from './refs.ts'
import type { Repository } from './repository.ts'
import { readBelow } from './small-file.ts'

export interface Base {
  readonly name: string
  readonly commit: ObjectId
  /** It is the commit of the checkout. */
  readonly isCheckedOut: boolean
}

export async function findBase(
  { git, files }: Pick<Tools, 'git' | 'files'>,
  repository: Repository,
  wanted?: string,
): Promise<Base> {
  if (wanted !== undefined) {
    const commit = await resolveCommit(git, repository, wanted, repository.gitDir)
    if (commit !== undefined) return { name: wanted, commit, isCheckedOut: false }
    const message = `There is no commit ${JSON.stringify(wanted)} in ${repository.home}.`
    throw new LoopError('bad-request', `${message} Use an existing branch, tag or commit.`)
  }
  const branch = await readSymbolicRef(files, repository.gitDir, 'HEAD')
  if (branch === undefined) {
    const commit = await resolveCommit(git, repository, 'HEAD', repository.gitDir)
    if (commit !== undefined) return { name: detached, commit, isCheckedOut: true }
  }
  const candidates = [
    async () => branch,
    () => readSymbolicRef(files, repository.commonDir, 'refs/remotes/origin/HEAD'),
    async () => 'refs/heads/main',
    async () => 'refs/heads/master',
  ]
  for (const [index, candidate] of candidates.entries()) {
    const ref = await candidate()
    const commit = ref === undefined ? undefined : await resolveCommit(git, repository, ref)
    if (ref === undefined || commit === undefined) continue
    return { name: shortName(ref), commit, isCheckedOut: index === 0 }
  }
  const message = `The repository ${repository.home} has no commit yet.`
  throw new LoopError('workspace-failed', `${message} Create one with: git commit`)
}

/** The name of the base if no branch is checked out. */
export const detached = 'HEAD'

/** The target of a symbolic ref. Symbolic refs are always separate files. */
async function readSymbolicRef(
  files: WorktreeFiles,
  folder: string,
  ref: string,
): Promise<string | undefined> {
  const content = (await readBelow(files, folder, join(folder, ref)).catch(() => undefined)) ?? ''
  return /^ref: (refs\/\S+)\n?$/.exec(content)?.[1]
}

const shortName = (ref: string): string => ref.replace(/^refs\/(heads|remotes)\//, '')
