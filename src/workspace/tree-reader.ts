/**
 * Trees of one run, read without being put anywhere. Its repository is known, so that no other is asked.
 */

import type { Blobs, TreeReader } from '../engine/index.ts'
import { LoopError, type TreeId } from '../loop/index.ts'
import { createBlobSource } from './checkout/blob-source.ts'
import { createGitSource } from './checkout/git-source.ts'
import { createReadTrees, type ReadTrees } from './checkout/read-trees.ts'
import { compareBlobs } from './compare-blobs.ts'
import { isGitTree } from './git/git-tree-id.ts'
import { openGitTrees } from './git/git-trees.ts'
import type { Repository } from './git/repository.ts'
import { inOwnFolder } from './tree-store.ts'

export interface TreeReaderOptions {
  readonly blobs: Blobs
  /** The folder of the record. */
  readonly folder: string
  /** Of the run's worktree; undefined: it works in a folder, whose trees are blobs. */
  readonly repository: Repository | undefined
}

const patchBytesMaxDefault = 256 * 1024
/** The arguments of one call of git have a limit. */
const pathsAtOnce = 200

export function createTreeReader({ blobs, folder, repository }: TreeReaderOptions): TreeReader {
  const ofBlobs = createReadTrees(createBlobSource(blobs))
  const ofGit =
    repository === undefined ? undefined : createReadTrees(createGitSource({ repository }))
  const readerOf = (tree: TreeId): ReadTrees => {
    if (!isGitTree(tree)) return ofBlobs
    if (ofGit !== undefined) return ofGit
    const message = `The tree ${tree} is one of git, and this run has no repository.`
    throw new LoopError('unknown-artifact', `${message} Certify it where it was made.`)
  }
  return {
    list: async (tree) => readerOf(tree).list(tree),
    read: async (tree, path, bytesMax) => readerOf(tree).read(tree, path, bytesMax),
    async patch(before, after, paths, bytesMax = patchBytesMaxDefault) {
      if (paths.length === 0) return ''
      if (repository === undefined || !isGitTree(before) || !isGitTree(after)) {
        const both = [before, after] as const
        const only = new Set(paths)
        const { patch } = await inOwnFolder(folder, (path) =>
          compareBlobs({ blobs }, both, path, only),
        )
        return cut(patch, bytesMax)
      }
      const trees = openGitTrees(repository)
      let text = ''
      for (let from = 0; from < paths.length; from += pathsAtOnce) {
        const some = paths.slice(from, from + pathsAtOnce)
        text += await trees.patch(before, after, Number.POSITIVE_INFINITY, some)
      }
      return cut(text, bytesMax)
    },
  }
}

const cut = (text: string, charsMax: number): string =>
  text.length <= charsMax
    ? text
    : `${text.slice(0, charsMax)}\n[${text.length - charsMax} characters more]\n`
