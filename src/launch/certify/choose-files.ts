/** What is to be certified: the commit that is checked out, or a folder as it is. */

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
  /** The top of the repository, or the folder as it is. */
  readonly folder: string
  /** Where in it checks start, from its top. Absent: at its top. */
  readonly inner?: string
  readonly reader: TreeReader
  readonly tree: TreeId
  readonly commit?: string
  readonly base?: TreeId
  readonly baseCommit?: string
  readonly repository: Repository | undefined
  /** What of the folder is no part of the tree. */
  readonly exclude: readonly string[]
}

export interface ChooseOptions {
  readonly base?: string
  readonly dirty?: boolean
}

const apartNames = ['node_modules', '.venv']

const advice =
  'certify certifies a commit, which does not include them. Commit them, stash them (git stash -u), or ' +
  'certify the files as they are with --dirty.'

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
    if (why !== undefined) throw noCommit(folder, why)
    if (base !== undefined) throw noBase(folder, dirty)
    const inside = [host.folder, ...files].flatMap((path) => pathInside(folder, path) ?? [])
    const exclude = ['.git', ...apartNames, ...inside]
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
  const treeOf = async (of: string): Promise<TreeId> => {
    const tree = await trees.treeOf(of)
    if (tree !== undefined) return tree
    throw new LoopError('unknown-artifact', `The commit ${of} has no files here. Fetch it first.`)
  }
  const tree = await treeOf(commit)
  if (inner !== undefined) await requireIn(reader, tree, inner)
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
  return { ...chosen, base: await treeOf(baseCommit), baseCommit }
}

async function requireIn(reader: TreeReader, tree: TreeId, inner: string): Promise<void> {
  const paths = [...(await reader.list(tree)).keys()]
  if (paths.some((path) => path.startsWith(`${inner}/`))) return
  const message = `certify certifies a commit, and ${inner} is not in it.`
  throw new LoopError(
    'bad-request',
    `${message} Commit it, or certify the files as they are with --dirty.`,
  )
}

/** Files as they are must not be mistaken for the commit that is checked out around them. */
const noCommit = (folder: string, why: string): LoopError =>
  new LoopError(
    'bad-request',
    `certify certifies a commit, and there is none for ${folder}: ${why}. Use a folder in a repository that has a commit, or certify the files as they are with --dirty.`,
  )

function noBase(folder: string, dirty: boolean): LoopError {
  const what = dirty ? '--base and --dirty conflict' : `${folder} is not a git repository`
  const instead = dirty ? ', or commit the files and omit --dirty' : ''
  const message = `${what}: there is no earlier commit to compare with. Omit --base${instead}.`
  return new LoopError('bad-request', message)
}
