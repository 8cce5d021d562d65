/** Quantiles of the normal distribution, and of Student's t as far as a decision needs it. */

/** The z that a standard normal value exceeds with this probability. `alpha` is above 0 and at most one half. */
export function zFor(alpha: number): number {
  if (!(alpha > 0 && alpha <= 0.5)) throw new RangeError(`alpha is ${alpha}`)
  let low = 0
  let high = 40
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (upperTail(middle) > alpha) low = middle
    else high = middle
  }
  return low
}

/** The same with a variance that was estimated. Close to Student's t from 5 degrees of freedom on. */
export const tFor = (alpha: number, degreesOfFreedom: number): number =>
  zFor(alpha) * (1 + 1.12 / degreesOfFreedom)

/** P(Z > z) for z of at least 0, by Abramowitz and Stegun 26.2.17: exact to 7.5e-8. */
export function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
  const polynomial =
    0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
  return density * t * polynomial
}

/** Logarithm of the beta function. */
export const logBeta = (a: number, b: number): number => logGamma(a) + logGamma(b) - logGamma(a + b)

const lanczos = [
  76.18009172947146, -86.5053203294168, 24.01409824083091, -1.231739572450155,
  0.1208650973866179e-2, -0.5395239384953e-5,
]

function logGamma(x: number): number {
  let sum = 1.000000000190015
  let at = x
  for (const coefficient of lanczos) sum += coefficient / ++at
  const base = x + 5.5
  return (x + 0.5) * Math.log(base) - base + Math.log((Math.sqrt(2 * Math.PI) * sum) / x)
}
