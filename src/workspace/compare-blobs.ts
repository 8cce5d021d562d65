/** Compares two trees of blobs: writes the files that differ into two folders and lets git compare those. */

import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blobs } from '../engine/index.ts'
import type { TreeId } from '../loop/index.ts'
import type { FileChange } from './git/compare-trees.ts'
import { diffFolders } from './git/diff-folders.ts'
import { createTrees } from './trees.ts'

/** `folder` must be private to this call. With `only`, other paths are ignored. */
export async function compareBlobs(
  { blobs }: { readonly blobs: Blobs },
  [before, after]: readonly [TreeId, TreeId],
  folder: string,
  only?: ReadonlySet<string>,
): Promise<{ readonly files: readonly FileChange[]; readonly patch: string }> {
  const trees = createTrees(blobs)
  const { added, changed, removed } = await trees.diffTrees(before, after)
  const all = [...added, ...changed, ...removed]
  const wanted = new Set(only === undefined ? all : all.filter((path) => only.has(path)))
  if (wanted.size === 0) return { files: [], patch: '' }
  const writeSide = async (tree: TreeId, side: string): Promise<void> => {
    await mkdir(join(folder, side))
    for await (const item of trees.readTree(tree)) {
      // A patch cannot contain a name that is not UTF-8.
      if (!wanted.has(item.path) || item.isText === false || item.mode === 'directory') continue
      const path = join(folder, side, item.path)
      await mkdir(dirname(path), { recursive: true })
      if (item.mode === 'link') await symlink(item.target, path)
      else await writeFile(path, await blobs.get(item.blob))
      if (item.mode === 'executable') await chmod(path, 0o755)
    }
  }
  await writeSide(before, 'a')
  await writeSide(after, 'b')
  const patch = await diffFolders(folder)
  const counts = countLines(patch)
  const files = [...wanted].toSorted().map((path) => ({ path, ...counts.get(path) }))
  return { files, patch }
}

type Counts = Pick<FileChange, 'added' | 'removed'>

/** The numbers of added and removed lines of each file in a patch. */
function countLines(patch: string): ReadonlyMap<string, Counts> {
  const counts = new Map<string, { added: number; removed: number }>()
  let current = { added: 0, removed: 0 }
  let isHead = true
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) {
      current = { added: 0, removed: 0 }
      isHead = true
    } else if (isHead && /^(?:---|\+\+\+) [ab]\//.test(line)) {
      counts.set(line.slice(6), current)
    } else if (line.startsWith('@@')) isHead = false
    else if (!isHead && line.startsWith('+')) current.added += 1
    else if (!isHead && line.startsWith('-')) current.removed += 1
  }
  return counts
}
