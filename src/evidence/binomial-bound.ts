/**
 * The exact (Clopper-Pearson) bound of a share: with at least the stated confidence, the true share is not below it,
 * whatever it is and however small the sample is.
 */

/** One-sided. An empty sample says nothing: 0. */
export function lowerBound(count: number, n: number, confidence: number): number {
  if (!(n > 0) || count <= 0) return 0
  const alpha = 1 - confidence
  // The share at which `count` or more successes would be as unlikely as alpha. The probability grows with the share.
  let low = 0
  let high = 1
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    if (atLeast(count, n, middle) < alpha) low = middle
    else high = middle
  }
  return low
}

/** The probability of at least `count` successes in `n` attempts. */
export function atLeast(count: number, n: number, share: number): number {
  if (share <= 0) return count <= 0 ? 1 : 0
  if (share >= 1) return 1
  let sum = 0
  for (let successes = Math.max(0, count); successes <= n; successes += 1) {
    sum += Math.exp(
      logChoose(n, successes) + successes * Math.log(share) + (n - successes) * Math.log1p(-share),
    )
  }
  return Math.min(1, sum)
}

const logChoose = (n: number, k: number): number =>
  logFactorial(n) - logFactorial(k) - logFactorial(n - k)

const factorials: number[] = [0]

function logFactorial(n: number): number {
  for (let next = factorials.length; next <= n; next += 1) {
    factorials.push((factorials[next - 1] ?? 0) + Math.log(next))
  }
  return factorials[n] ?? 0
}
