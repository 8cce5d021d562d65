/**
 * A source of trees in git. A session lists small trees, one `ls-tree` a large one, one `cat-file` reads many files, and files are
 * extracted through a private git directory, so that hooks, filters and settings of the repository have no effect.
 */

import { join } from 'node:path'
import { LoopError, type TreeId } from '../../loop/index.ts'
import { createRecentMap } from '../../system/recent-map.ts'
import { type Bytes, toPath } from '../bytes.ts'
import { fromTreeId } from '../git/git-tree-id.ts'
import { splitNul } from '../git/list-changes.ts'
import { createPrivateGitDir, type PrivateGitDir } from '../git/private-git-dir.ts'
import { type GitEntry, readSmallTree } from '../git/read-objects.ts'
import type { ObjectId } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { type RunGit, runGit } from '../git/run-git.ts'
import { GitError } from '../git/run-program.ts'
import { treeTimeoutMs } from '../worktree/work-tree.ts'
import { worktreeFiles } from '../worktree/worktree-files.ts'
import { collectFolders, type SourceFile, type TreeFiles, type TreeSource } from './tree-source.ts'

export interface GitSource extends TreeSource {
  /** The index of the last extracted tree, with file times; undefined if none was extracted. */
  indexFile(): string | undefined
}

export interface GitSourceOptions {
  readonly repository: Repository
  /** A private folder that git needs to extract files; without it nothing can be extracted. */
  readonly folder?: string
  readonly git?: RunGit
}

/** For all files that are read in one call. */
const batchBytesMax = 32 * 1024 * 1024
/** The line before each file, and the newline after it. */
const headerBytesMax = 100
const listBytesMax = 512 * 1024 * 1024

export function createGitSource(options: GitSourceOptions): GitSource {
  const { repository, folder, git = runGit } = options
  let own: Promise<PrivateGitDir> | undefined
  let indexed: TreeId | undefined
  let hasIndex = false
  const ownDirectory = (): Promise<PrivateGitDir> => {
    if (folder === undefined) throw new Error('A source without a folder cannot extract files.')
    const path = join(folder, 'control')
    own ??= createPrivateGitDir(worktreeFiles, { repository, path, exact: true, top: folder })
    return own
  }
  const list = (tree: TreeId): Promise<TreeFiles> => listOnce(git, repository, tree)
  return {
    list,
    hash: { algorithm: repository.objectFormat, prefix: (bytes) => `blob ${bytes}\0` },
    read: (contents, bytesMax) => readBlobs(git, repository, contents, bytesMax),
    async extract(tree, into, paths) {
      const at = (await ownDirectory()).at(into)
      const { files, others } = await list(tree)
      const isAll = paths.length === files.size && others.size === 0
      if (indexed !== tree) {
        // Into an empty folder one process writes both the index and the files.
        const isFirst = isAll && !hasIndex
        indexed = undefined
        hasIndex = true
        await git({
          at,
          command: 'read-tree',
          options: isFirst ? ['--reset', '-u', '--no-recurse-submodules'] : [],
          operands: [fromTreeId(tree)],
          timeoutMs: treeTimeoutMs,
        })
        indexed = tree
        if (isFirst) return
      }
      await git({
        at,
        command: 'checkout-index',
        options: ['--force', '--index', '--quiet', ...(isAll ? ['--all'] : ['-z', '--stdin'])],
        ...(isAll ? {} : { input: toPath(paths.map((path) => `${path}\0`).join('')) }),
        timeoutMs: treeTimeoutMs,
      })
    },
    indexFile: () =>
      folder === undefined || indexed === undefined ? undefined : join(folder, 'control', 'index'),
  }
}

/** A tree never changes. A run, and the reader and all checkouts of a certification, list the same few trees. */
const listings = createRecentMap<string, Promise<TreeFiles>>(4)

function listOnce(git: RunGit, repository: Repository, tree: TreeId): Promise<TreeFiles> {
  const key = `${repository.commonDir}\0${tree}`
  const listing = listings.get(key) ?? listTree(git, repository, tree)
  listings.set(key, listing)
  listing.catch(() => listings.delete(key))
  return listing
}

const kinds: Readonly<Record<string, SourceFile['kind']>> = {
  '100644': 'file',
  // In very old repositories.
  '100664': 'file',
  '100755': 'executable',
  '120000': 'link',
}

async function listTree(git: RunGit, repository: Repository, tree: TreeId): Promise<TreeFiles> {
  const entries =
    (await readSmallTree(git, repository, fromTreeId(tree))) ??
    (await listEntries(git, repository, tree))
  const files = new Map<Bytes, SourceFile>()
  const others = new Map<Bytes, string>()
  for (const [path, { mode, id }] of entries) {
    const kind = kinds[mode]
    if (kind === undefined) others.set(path, id)
    else files.set(path, { kind, content: id })
  }
  const folders = collectFolders([...files.keys(), ...others.keys()])
  for (const path of others.keys()) folders.add(path)
  return { files, folders, others }
}

async function listEntries(
  git: RunGit,
  repository: Repository,
  tree: TreeId,
): Promise<ReadonlyMap<Bytes, GitEntry>> {
  const call = {
    at: { gitDir: repository.commonDir },
    command: 'ls-tree',
    options: ['-r', '-z', '--full-tree'],
    operands: [fromTreeId(tree)],
    outputBytesMax: listBytesMax,
    timeoutMs: treeTimeoutMs,
  }
  const { stdout } = await git(call).catch((error: unknown) => {
    if (!(error instanceof GitError) || error.why !== 'refused') throw error
    const advice = 'Fetch it from the repository in which the run was created.'
    const message = `The repository ${repository.home} does not have all of the tree ${tree}. ${advice}`
    throw new LoopError('unknown-artifact', message, { cause: error })
  })
  return new Map(
    splitNul(stdout).map((line) => {
      const tab = line.indexOf('\t')
      const [mode = '', , id = ''] = line.slice(0, tab).split(' ')
      return [line.slice(tab + 1), { mode, id }]
    }),
  )
}

/** Reads the sizes first, so that files over the limit are not read. */
async function readBlobs(
  git: RunGit,
  repository: Repository,
  contents: readonly ObjectId[],
  bytesMax: number,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  const sizes = await readSizes(git, repository, [...new Set(contents)])
  let batch: ObjectId[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await readBatch(git, repository, batch, found, bytes)
    batch = []
    bytes = 0
  }
  for (const [id, size] of sizes) {
    if (size > bytesMax) continue
    if (bytes + size > batchBytesMax) await flush()
    batch.push(id)
    bytes += size
  }
  await flush()
  return found
}

async function readSizes(
  git: RunGit,
  { commonDir }: Repository,
  ids: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, number>> {
  if (ids.length === 0) return new Map()
  const { stdout } = await git({
    at: { gitDir: commonDir },
    command: 'cat-file',
    options: ['--batch-check'],
    input: Buffer.from(`${ids.join('\n')}\n`, 'latin1'),
    timeoutMs: treeTimeoutMs,
  })
  const lines = stdout.toString('latin1').split('\n').slice(0, -1)
  return new Map(
    lines.flatMap((line) => {
      const [id = '', type, size] = line.split(' ')
      return type === 'blob' ? [[id, Number(size)] as const] : []
    }),
  )
}

async function readBatch(
  git: RunGit,
  { commonDir }: Repository,
  ids: readonly ObjectId[],
  found: Map<string, Uint8Array>,
  bytes: number,
): Promise<void> {
  const { stdout } = await git({
    at: { gitDir: commonDir },
    command: 'cat-file',
    options: ['--batch'],
    input: Buffer.from(`${ids.join('\n')}\n`, 'latin1'),
    // A file over the batch limit is in a batch by itself.
    outputBytesMax: bytes + ids.length * headerBytesMax,
    timeoutMs: treeTimeoutMs,
  })
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf('\n', at)
    const [id = '', type, size] = stdout.toString('latin1', at, end).split(' ')
    if (type !== 'blob') {
      at = end + 1
      continue
    }
    const start = end + 1
    found.set(id, stdout.subarray(start, start + Number(size)))
    at = start + Number(size) + 1
  }
}
