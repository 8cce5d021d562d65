/**
 * Stores files in a repository, byte for byte: a few small ones directly, others through a single git process. git
 * gets the bytes and opens no file itself, so it can neither follow a symlink nor block on a pipe.
 */

import type { BigIntStats } from 'node:fs'
import type { Bytes } from '../bytes.ts'
import { inParallel } from '../in-parallel.ts'
import { ChangedError, readBytes, readChunks, wholeBytesMax } from '../read-file.ts'
import { concurrency, readLinkTarget } from '../workspace-directory.ts'
import { treeTimeoutMs, type WorkTree } from '../worktree/work-tree.ts'
import { isObjectId, type ObjectId } from './refs.ts'
import { GitError } from './run-program.ts'
import { writeObject } from './write-object.ts'

export interface Source {
  readonly path: Bytes
  readonly seen: BigIntStats
}

/** How many small files are in memory at the same time. */
const batchSize = 32
/** A git process costs more than so many files that are written one by one. */
const directMax = 8

/** In the order of the sources. Rejects with `ChangedError` if a file changes meanwhile. */
export async function storeBlobs(
  tree: WorkTree,
  sources: readonly Source[],
): Promise<readonly ObjectId[]> {
  if (sources.length === 0) return []
  if (sources.length <= directMax) {
    const ids = await storeDirectly(tree, sources)
    if (ids !== undefined) return ids
  }
  const { stdout } = await tree.git({
    at: tree.own.at(tree.path),
    command: 'fast-import',
    options: ['--quiet', '--done', '--cat-blob-fd=1'],
    input: script(tree, sources),
    timeoutMs: treeTimeoutMs,
  })
  const ids = stdout.toString('latin1').split('\n').slice(0, -1)
  if (ids.length === sources.length && ids.every(isObjectId)) return ids
  throw new GitError(
    'refused',
    'git fast-import',
    `it returned ${ids.length} of ${sources.length} ids`,
  )
}

/** Undefined if one of them is too large. */
async function storeDirectly(
  tree: WorkTree,
  sources: readonly Source[],
): Promise<readonly ObjectId[] | undefined> {
  const contents = await readSmall(tree, sources)
  if (contents.size < sources.length) return undefined
  const ids = new Map<Bytes, ObjectId>()
  await inParallel([...contents], concurrency, async ([path, content]) => {
    ids.set(path, await writeObject(tree.files, tree.repository, 'blob', content))
  })
  return sources.map(({ path }) => ids.get(path) ?? '')
}

async function* script(tree: WorkTree, sources: readonly Source[]): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < sources.length; start += batchSize) {
    const batch = sources.slice(start, start + batchSize)
    const small = await readSmall(tree, batch)
    for (const source of batch) {
      const whole = small.get(source.path)
      const bytes = whole?.length ?? Number(source.seen.size)
      yield Buffer.from(`blob\nmark :1\ndata ${bytes}\n`, 'latin1')
      if (whole !== undefined) yield whole
      else yield* readChunks(tree, source.path, source.seen)
      yield Buffer.from('\nget-mark :1\n', 'latin1')
    }
  }
  yield Buffer.from('done\n', 'latin1')
}

async function readSmall(
  tree: WorkTree,
  batch: readonly Source[],
): Promise<ReadonlyMap<Bytes, Uint8Array>> {
  const contents = new Map<Bytes, Uint8Array>()
  await inParallel(batch, concurrency, async ({ path, seen }) => {
    if (seen.isSymbolicLink()) {
      const target = await readLinkTarget(tree, path).catch((error: unknown) => {
        throw new ChangedError(path, error)
      })
      contents.set(path, Buffer.from(target, 'latin1'))
    } else if (seen.size <= wholeBytesMax) {
      contents.set(path, await readBytes(tree, path, seen))
    }
  })
  return contents
}
