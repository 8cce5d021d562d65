/**
 * Reads trees of one run without extracting them. Its repository is known, so no other is searched.
 */

import type { Blobs, TreeReader } from '../engine/index.ts'
import { LoopError, type TreeId } from '../loop/index.ts'
import { createBlobSource } from './checkout/blob-source.ts'
import { createGitSource } from './checkout/git-source.ts'
import { type BatchedTreeReader, createBatchedTreeReader } from './checkout/read-trees.ts'
import { compareBlobs } from './compare-blobs.ts'
import { isGitTree } from './git/git-tree-id.ts'
import { openGitTrees } from './git/git-trees.ts'
import type { Repository } from './git/repository.ts'
import { withRestoreFolder } from './tree-store.ts'

export interface TreeReaderOptions {
  readonly blobs: Blobs
  /** The state folder. */
  readonly folder: string
  /** The repository of the run's worktree; undefined for a run in a plain folder, whose trees are blobs. */
  readonly repository: Repository | undefined
}

const patchBytesMaxDefault = 256 * 1024
/** The length of a command line is limited. */
const pathsPerCall = 200

export function createTreeReader({ blobs, folder, repository }: TreeReaderOptions): TreeReader {
  const blobReader = createBatchedTreeReader(createBlobSource(blobs))
  const gitReader =
    repository === undefined ? undefined : createBatchedTreeReader(createGitSource({ repository }))
  const selectReader = (tree: TreeId): BatchedTreeReader => {
    if (!isGitTree(tree)) return blobReader
    if (gitReader !== undefined) return gitReader
    const message = `The tree ${tree} is in git, and this run has no repository.`
    throw new LoopError('unknown-artifact', `${message} Certify it in its own repository.`)
  }
  return {
    list: async (tree) => selectReader(tree).list(tree),
    read: async (tree, path, bytesMax) => selectReader(tree).read(tree, path, bytesMax),
    async patch(before, after, paths, bytesMax = patchBytesMaxDefault) {
      if (paths.length === 0) return ''
      if (repository === undefined || !isGitTree(before) || !isGitTree(after)) {
        const both = [before, after] as const
        const only = new Set(paths)
        const { patch } = await withRestoreFolder(folder, (path) =>
          compareBlobs({ blobs }, both, path, only),
        )
        return truncate(patch, bytesMax)
      }
      const trees = openGitTrees(repository)
      let text = ''
      for (let from = 0; from < paths.length; from += pathsPerCall) {
        const batch = paths.slice(from, from + pathsPerCall)
        text += await trees.patch(before, after, Number.POSITIVE_INFINITY, batch)
      }
      return truncate(text, bytesMax)
    },
  }
}

const truncate = (text: string, charsMax: number): string =>
  text.length <= charsMax
    ? text
    : `${text.slice(0, charsMax)}\n[${text.length - charsMax} more characters]\n`
