/** Chooses what to certify: the commit that is checked out, or the current files of a folder. */

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { TreeReader } from '../../engine/index.ts'
import { defined, LoopError, type TreeId } from '../../loop/index.ts'
import type { Runs } from '../../runs/runs.ts'
import { decideWorktree, loopFilesIn } from '../../runs/worktree-options.ts'
import { pathInside, requireFolder } from '../../system/index.ts'
import {
  createDirectoryWorkspace,
  findBase,
  openGitTrees,
  type Repository,
  runGit,
  worktreeFiles,
} from '../../workspace/index.ts'
import { createTreeReader } from '../../workspace/tree-reader.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { requireCommittedFiles } from '../require-committed-files.ts'

export interface ChosenFiles {
  /** The root of the repository, or the folder. */
  readonly folder: string
  /** The folder in which checks start, relative to the root. Absent: the root. */
  readonly inner?: string
  readonly reader: TreeReader
  readonly tree: TreeId
  readonly commit?: string
  readonly base?: TreeId
  readonly baseCommit?: string
  readonly repository: Repository | undefined
  /** Paths in the folder that are not part of the tree. */
  readonly exclude: readonly string[]
}

export interface ChooseOptions {
  readonly base?: string
  readonly dirty?: boolean
}

const dependencyFolders = ['node_modules', '.venv']

const advice =
  'certify certifies a commit, which does not include them. Commit them, stash them (git stash -u), or ' +
  'certify the current files with --dirty.'

export async function chooseFiles(
  host: Pick<Runs, 'folder' | 'journal' | 'blobs'>,
  { workspace, files }: Pick<LoadedLoop, 'workspace' | 'files'>,
  { base, dirty = false }: ChooseOptions,
): Promise<ChosenFiles> {
  requireFolder(workspace)
  const folder = realpathSync(workspace)
  const { repository, inner, why } = dirty
    ? { repository: undefined, inner: undefined, why: undefined }
    : await decideWorktree(folder, { use: 'auto' }, host)
  const reader = createTreeReader({ blobs: host.blobs, folder: host.folder, repository })
  if (repository === undefined) {
    if (why !== undefined) throw createNoCommitError(folder, why)
    if (base !== undefined) throw createNoBaseError(folder, dirty)
    const inside = [host.folder, ...files].flatMap((path) => pathInside(folder, path) ?? [])
    const exclude = ['.git', ...dependencyFolders, ...inside]
    const directory = createDirectoryWorkspace({ path: folder, blobs: host.blobs, exclude })
    return { folder, reader, tree: await directory.snapshot(), repository, exclude }
  }
  const git = { git: runGit, files: worktreeFiles }
  const { commit } = await findBase(git, repository)
  await requireCommittedFiles(
    repository,
    commit,
    [...files, ...loopFilesIn(join(folder, 'loops'))],
    advice,
  )
  const trees = openGitTrees(repository)
  const findTree = async (id: string): Promise<TreeId> => {
    const tree = await trees.resolveTree(id)
    if (tree !== undefined) return tree
    const message = `The files of commit ${id} are not in this clone. Fetch the commit first.`
    throw new LoopError('unknown-artifact', message)
  }
  const tree = await findTree(commit)
  if (inner !== undefined) await requireCommitted(reader, tree, inner)
  const chosen = {
    folder: repository.checkout ?? folder,
    ...defined({ inner }),
    reader,
    repository,
    commit,
    tree,
    exclude: [],
  }
  if (base === undefined) return chosen
  const { commit: baseCommit } = await findBase(git, repository, base)
  return { ...chosen, base: await findTree(baseCommit), baseCommit }
}

async function requireCommitted(reader: TreeReader, tree: TreeId, inner: string): Promise<void> {
  const paths = [...(await reader.list(tree)).keys()]
  if (paths.some((path) => path.startsWith(`${inner}/`))) return
  const message = `certify certifies a commit, and ${inner} is not in it.`
  throw new LoopError(
    'bad-request',
    `${message} Commit it, or certify the current files with --dirty.`,
  )
}

/** Uncommitted files must not be mistaken for the commit that is checked out around them. */
const createNoCommitError = (folder: string, why: string): LoopError =>
  new LoopError(
    'bad-request',
    `There is no commit to check for ${folder}: ${why}. Commit the files (git add -A; git commit), or check them as they are: --dirty`,
  )

function createNoBaseError(folder: string, dirty: boolean): LoopError {
  const what = dirty ? '--base and --dirty conflict' : `${folder} is not a git repository`
  const instead = dirty ? ', or commit the files and omit --dirty' : ''
  const message = `${what}: there is no earlier commit to compare with. Omit --base${instead}.`
  return new LoopError('bad-request', message)
}
