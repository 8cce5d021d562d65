/** The name that somebody probably meant, for messages about one that does not exist. */

/** Longer names are not compared: nobody types them, and the work grows with the square. */
const charsMax = 100
const namesMax = 1000

/** Undefined when none is near enough to be worth naming. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  if (name === '' || name.length > charsMax) return undefined
  const wanted = name.toLowerCase()
  let best: string | undefined
  // A third of the characters may be wrong, and never all of them.
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1
  let compared = 0
  for (const candidate of names) {
    if (++compared > namesMax) break
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue
    const found = distance(wanted, candidate.toLowerCase())
    if (found >= bestDistance || found >= Math.max(wanted.length, candidate.length)) continue
    best = candidate
    bestDistance = found
  }
  return best
}

/** ` Did you mean "x"?`, or nothing: to be put behind a sentence. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const found = nearest(name, names)
  return found === undefined ? '' : ` Did you mean "${found}"?`
}

/** Insertions, deletions, replacements and swaps of neighbours that lie between two words. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let least = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (row > 1 && column > 1 && isSwap) least = Math.min(least, (before[column - 2] ?? 0) + 1)
      current.push(least)
    }
    before = previous
    previous = current
  }
  return previous[b.length] ?? 0
}
