/**
 * What a person reads before deciding: each changed file that needs an approval with its complete diff, then the rest
 * of the work. Identical for the same trees, in the question and in `loopctl diff --review`.
 */

import type { TreeReader } from '../../engine/index.ts'
import type { ReviewedTrees } from '../../loop/index.ts'
import { listDifferences } from './consult.ts'
import { sha256 } from './digest.ts'

export interface Review {
  /** What needs an approval, in display order. */
  readonly first: readonly FileDiff[]
  readonly work: readonly FileDiff[]
  /** Over `first`; its first digits prove that the review was read. */
  readonly digest: string
}

export interface FileDiff {
  readonly path: string
  readonly patch: string
}

/** How many digits of the digest a person types. */
export const reviewCodeChars = 8

const patchBytesMax = 256 * 1024 * 1024
const concurrency = 4

export async function readReview(
  reader: TreeReader,
  { base, tree, first }: ReviewedTrees,
): Promise<Review> {
  const isFirst = new Set(first)
  const others = (await listDifferences(reader, base, tree)).filter((path) => !isFirst.has(path))
  const read = (paths: readonly string[]): Promise<readonly FileDiff[]> =>
    mapInBatches(paths, async (path) => ({
      path,
      patch: await reader.patch(base, tree, [path], patchBytesMax),
    }))
  const firstFiles = await read([...isFirst])
  const digest = sha256(firstFiles.map(({ path, patch }) => `${path}\n${patch}`).join('\n'))
  return { first: firstFiles, work: await read(others.toSorted()), digest }
}

export const toReviewCode = ({ digest }: Review): string => digest.slice(0, reviewCodeChars)

async function mapInBatches<From, To>(
  items: readonly From[],
  work: (item: From) => Promise<To>,
): Promise<readonly To[]> {
  const results: To[] = []
  for (let from = 0; from < items.length; from += concurrency) {
    results.push(...(await Promise.all(items.slice(from, from + concurrency).map(work))))
  }
  return results
}
