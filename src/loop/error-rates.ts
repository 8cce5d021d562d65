/** How often a check errs, as far as it was measured: see `loopctl calibrate`. */

/** So many of so many, with the ends of the 95 % interval of Wilson. */
export interface Share {
  readonly count: number
  readonly n: number
  /** 0 where nothing was counted. */
  readonly value: number
  readonly low: number
  readonly high: number
}

export interface ErrorRates {
  /** Of defects that were planted, those that it let pass: at most, since some do no harm. */
  readonly falseAccepts: Share
  /** Of work that is known to be good, what it turned away. */
  readonly falseRejects: Share
}

/** `5 % (1 to 24 %, n = 20)`; `not known` where nothing was counted. */
export function describeShare({ value, low, high, n }: Share): string {
  if (n === 0) return 'not known'
  return `${percent(value)} % (${percent(low)} to ${percent(high)} %, n = ${n})`
}

/** One line, for beside a verdict. */
export const describeRates = ({ falseAccepts, falseRejects }: ErrorRates): string =>
  `false accepts at most ${describeShare(falseAccepts)}, false rejects ${describeShare(falseRejects)}`

/** Whole numbers, but never a 0 or a 100 that is none. */
function percent(share: number): string {
  const rounded = Math.round(share * 100)
  if (rounded === 0 && share > 0) return share < 0.001 ? '<0.1' : (share * 100).toFixed(1)
  if (rounded === 100 && share < 1) return share > 0.999 ? '>99.9' : (share * 100).toFixed(1)
  return `${rounded}`
}
