/** Numbers as people read them. A bare number is never a claim: those come with their interval. */

import type { Interval } from '../statistics/estimate.ts'
import type { Tally } from '../tune-state.ts'

const oneDecimal = (value: number): string => (Math.round(value * 1000) / 10).toFixed(1)

export const percent = (share: number): string => `${oneDecimal(share)} %`

export const points = (delta: number): string =>
  `${delta < 0 ? '-' : '+'}${oneDecimal(Math.abs(delta))} pt`

export const interval = ({ low, high }: Interval): string => `${points(low)} to ${points(high)}`

export const tally = ({ passing, of }: Tally): string =>
  of === 0 ? '0 of 0' : `${passing} of ${of} (${Math.round((100 * passing) / of)} %)`
