/** Finds the known name that a mistyped one was meant to be. Pure, and cheap for any input. */

/** Longer names are not typos. */
const charsMax = 64
const knownMax = 1000

/** The known name with the fewest typos relative to `name`, if they are few for its length. */
export function findNearestName(name: string, known: Iterable<string>): string | undefined {
  if (name === '' || name.length > charsMax) return undefined
  const wanted = plain(name)
  let best: { readonly name: string; readonly typos: number } | undefined
  let examined = 0
  for (const candidate of known) {
    if (++examined > knownMax) break
    if (candidate === '' || candidate.length > charsMax) continue
    const most = Math.min(best === undefined ? typosMax(name) : best.typos - 1, typosMax(candidate))
    const typos = countTypos(wanted, plain(candidate), most)
    const isUnrelated = typos >= Math.max(name.length, candidate.length)
    if (typos <= most && !isUnrelated) best = { name: candidate, typos }
    if (typos === 0) break
  }
  return best?.name
}

/** ` Did you mean "x"?` or an empty string, to append to a sentence. */
export function suggestName(name: string, known: Iterable<string>): string {
  const near = findNearestName(name, known)
  return near === undefined ? '' : ` Did you mean "${near}"?`
}

/** A third of the letters may be wrong, and at least one. */
const typosMax = (name: string): number => Math.max(1, Math.floor(name.length / 3))

/** Case and word separators do not count as typos. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/g, '')

/**
 * Counts letters added, omitted, replaced, or swapped with their neighbor. A result above `most` is
 * not exact.
 */
function countTypos(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      next.push(
        Math.min(
          at(last, column) + 1,
          at(next, column - 1) + 1,
          at(last, column - 1) + (same ? 0 : 1),
          swapped && row > 1 ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = last
    last = next
  }
  return at(last, b.length)
}

const at = (row: readonly number[], column: number): number =>
  row[column] ?? Number.POSITIVE_INFINITY
