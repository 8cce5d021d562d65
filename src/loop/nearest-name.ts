/** Which known name a mistyped one was meant to be. Pure, and cheap whatever it is given. */

/** Names longer than this are not names that somebody mistyped. */
const charsMax = 64
const knownMax = 1000

/** The known name with the fewest slips from `name`, if they are few for its length. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name === '' || name.length > charsMax) return undefined
  const wanted = plain(name)
  let best: { readonly name: string; readonly slips: number } | undefined
  let looked = 0
  for (const candidate of known) {
    if (++looked > knownMax) break
    if (candidate === '' || candidate.length > charsMax) continue
    const most = Math.min(best === undefined ? slipsMax(name) : best.slips - 1, slipsMax(candidate))
    const slips = slipsBetween(wanted, plain(candidate), most)
    const isOther = slips >= Math.max(name.length, candidate.length)
    if (slips <= most && !isOther) best = { name: candidate, slips }
    if (slips === 0) break
  }
  return best?.name
}

/** ` Did you mean "x"?`, or nothing: to be put behind a sentence. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known)
  return near === undefined ? '' : ` Did you mean "${near}"?`
}

/** A third of the letters may be wrong, and one always; never all of them. */
const slipsMax = (name: string): number => Math.max(1, Math.floor(name.length / 3))

/** Case and the usual ways to join words are no slips. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/g, '')

/**
 * Letters added, left out, replaced, or swapped with their neighbour; more than `most` is only
 * known to be more.
 */
function slipsBetween(a: string, b: string, most: number): number {
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
