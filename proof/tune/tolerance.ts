/**
 * Limits for a share of the loops. At full scale a target is taken as it is. With fewer loops it is missed only if the
 * count has a probability below one in a thousand where the truth is exactly the target: the exact binomial test.
 */

import { atLeast, atMost, type Result } from '../../bench/report.ts'

const improbable = 0.001

export interface Share {
  readonly name: string
  readonly count: number
  readonly of: number
  /** From 0 to 1. */
  readonly target: number
  readonly isFull: boolean
  readonly detail: string
}

const percent = (share: number): number => Number((100 * share).toFixed(2))

export function shareAtMost({ name, count, of, target, isFull, detail }: Share): Result {
  const limit = isFull ? target : countAtMost(of, target) / Math.max(1, of)
  return atMost(name, percent(count / Math.max(1, of)), percent(limit), '%', detail)
}

export function shareAtLeast(share: Share): Result {
  const { name, count, of, target, isFull, detail } = share
  const limit = isFull ? target : 1 - countAtMost(of, 1 - target) / Math.max(1, of)
  return atLeast(name, percent(of === 0 ? 1 : count / of), percent(limit), '%', detail)
}

/** The largest count that is not improbable. */
export function countAtMost(of: number, probability: number): number {
  let term = (1 - probability) ** of
  let below = term
  let count = 0
  while (count < of && 1 - below >= improbable) {
    count++
    term *= ((of - count + 1) / count) * (probability / (1 - probability))
    below += term
  }
  return count
}

/** What a mean may be off by, with so few loops: three standard errors; nothing at full scale. */
export const slackOf = (deviation: number, count: number, isFull: boolean): number =>
  isFull || count === 0 ? 0 : (3 * deviation) / Math.sqrt(count)
