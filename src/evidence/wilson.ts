/** The Wilson score interval of a share, which is also valid for small samples. */

import type { Share } from '../loop/index.ts'

/** 95 %, two-sided. */
const z95 = 1.959963984540054

/** An empty sample says nothing: from 0 to 1. */
export function wilson(count: number, n: number, z: number = z95): Share {
  if (!(n > 0)) return { count: 0, value: 0, low: 0, high: 1, n: 0 }
  const share = count / n
  const square = z * z
  const scale = 1 + square / n
  const center = (share + square / (2 * n)) / scale
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / n + square / (4 * n * n))
  return {
    count,
    value: share,
    // Rounding could miss the exact ends.
    low: share === 0 ? 0 : Math.max(0, center - half),
    high: share === 1 ? 1 : Math.min(1, center + half),
    n,
  }
}
