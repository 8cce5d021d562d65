/**
 * What a person reads before deciding: each changed file that needs an approval with its whole diff, then the
 * rest of the work. The same from the same trees, for the question and for `loopctl diff --review`.
 */

import type { TreeReader } from '../../engine/index.ts'
import type { ReviewedTrees } from '../../loop/index.ts'
import { differing } from './consult.ts'
import { digestOf } from './digest.ts'

export interface Review {
  /** What needs an approval, in the order in which it is shown. */
  readonly first: readonly FileDiff[]
  readonly work: readonly FileDiff[]
  /** Over `first`: its digits prove that the review was read. */
  readonly digest: string
}

export interface FileDiff {
  readonly path: string
  readonly patch: string
}

/** The digits of the digest that a person types. */
export const reviewCodeChars = 8

const patchBytesMax = 256 * 1024 * 1024
const atOnce = 4

export async function readReview(
  reader: TreeReader,
  { base, tree, first }: ReviewedTrees,
): Promise<Review> {
  const isFirst = new Set(first)
  const others = (await differing(reader, base, tree)).filter((path) => !isFirst.has(path))
  const read = (paths: readonly string[]): Promise<readonly FileDiff[]> =>
    mapSome(paths, async (path) => ({
      path,
      patch: await reader.patch(base, tree, [path], patchBytesMax),
    }))
  const shown = await read([...isFirst])
  const digest = digestOf(shown.map(({ path, patch }) => `${path}\n${patch}`).join('\n'))
  return { first: shown, work: await read(others.toSorted()), digest }
}

export const codeOfReview = ({ digest }: Review): string => digest.slice(0, reviewCodeChars)

async function mapSome<From, To>(
  items: readonly From[],
  work: (item: From) => Promise<To>,
): Promise<readonly To[]> {
  const results: To[] = []
  for (let from = 0; from < items.length; from += atOnce) {
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))))
  }
  return results
}
