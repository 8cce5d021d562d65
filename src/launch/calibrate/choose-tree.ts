/** Chooses the tree to measure on: a commit of the loop's repository, or the current files of its folder. */

import { realpathSync } from 'node:fs'
import type { TreeReader } from '../../engine/index.ts'
import type { PastCommit } from '../../evidence/index.ts'
import { LoopError, type TreeId } from '../../loop/index.ts'
import type { Runs } from '../../runs/runs.ts'
import { decideWorktree } from '../../runs/worktree-options.ts'
import { pathInside, requireFolder } from '../../system/index.ts'
import {
  createDirectoryWorkspace,
  findBase,
  listPastCommits,
  openGitTrees,
  type Repository,
  runGit,
  worktreeFiles,
} from '../../workspace/index.ts'
import { createTreeReader } from '../../workspace/tree-reader.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { requireCommittedFiles } from '../require-committed-files.ts'

export interface MeasuredTree {
  readonly tree: TreeId
  readonly reader: TreeReader
  readonly workspace: string
  readonly repository: Repository | undefined
  readonly commit?: string
  readonly commits: readonly PastCommit[]
}

const commitsMax = 200

const advice =
  'calibrate measures a commit, which does not include them. Commit them (git add, git commit), stash them ' +
  '(git stash -u), or pass --base HEAD.'

export async function chooseTree(
  host: Pick<Runs, 'folder' | 'journal' | 'blobs'>,
  loaded: LoadedLoop,
  base: string | undefined,
): Promise<MeasuredTree> {
  requireFolder(loaded.workspace)
  const workspace = realpathSync(loaded.workspace)
  const use = base === undefined ? loaded.worktree.use : true
  const { repository } = await decideWorktree(workspace, { use }, host)
  const reader = createTreeReader({ blobs: host.blobs, folder: host.folder, repository })
  if (repository === undefined) {
    const exclude = [host.folder, ...loaded.files].flatMap(
      (path) => pathInside(workspace, path) ?? [],
    )
    const directory = createDirectoryWorkspace({
      path: workspace,
      blobs: host.blobs,
      exclude,
    })
    return { tree: await directory.snapshot(), reader, workspace, repository, commits: [] }
  }
  const { commit } = await findBase({ git: runGit, files: worktreeFiles }, repository, base)
  if (base === undefined) await requireCommittedFiles(repository, commit, loaded.files, advice)
  const tree = await openGitTrees(repository).resolveTree(commit)
  if (tree === undefined) {
    const message = `The files of commit ${commit} are not in this clone. Fetch it, or pass another commit with --base.`
    throw new LoopError('unknown-artifact', message)
  }
  const commits = await listPastCommits(repository, commit, commitsMax)
  return { tree, reader, workspace, repository, commit, commits }
}
