/** How often a check is wrong, as measured by `loopctl calibrate`. */

/** A proportion, with the bounds of its 95 % Wilson interval. */
export interface Share {
  readonly count: number
  readonly n: number
  /** 0 if nothing was counted. */
  readonly value: number
  readonly low: number
  readonly high: number
}

export interface ErrorRates {
  /** Planted defects that it did not find. An upper bound, since some defects are harmless. */
  readonly falseAccepts: Share
  /** Correct changes that it rejected. */
  readonly falseRejects: Share
}

/** `5 % (1 to 24 %, n = 20)`; `unknown` if nothing was counted. */
export function describeShare({ value, low, high, n }: Share): string {
  if (n === 0) return 'unknown'
  return `${percent(value)} % (${percent(low)} to ${percent(high)} %, n = ${n})`
}

/** One line, shown next to a verdict. */
export const describeRates = ({ falseAccepts, falseRejects }: ErrorRates): string =>
  `false accepts at most ${describeShare(falseAccepts)}, false rejects ${describeShare(falseRejects)}`

/** Whole numbers, but 0 and 100 only if they are exact. */
function percent(share: number): string {
  const rounded = Math.round(share * 100)
  if (rounded === 0 && share > 0) return share < 0.001 ? '<0.1' : (share * 100).toFixed(1)
  if (rounded === 100 && share < 1) return share > 0.999 ? '>99.9' : (share * 100).toFixed(1)
  return `${rounded}`
}
