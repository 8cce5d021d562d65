/** What the evidence about a loop is worth, and what is missing for its next level. Pure. */

import { lowerBound } from '../../evidence/index.ts'
import {
  ceilingOf,
  defaultLevel,
  effectiveLevel,
  type Level,
  type LevelSetting,
} from '../../loop/index.ts'
import type { LevelBars, LevelEvidence } from '../../protocol/api/levels.ts'
import type { Trial } from './trials.ts'

/** What `loopctl calibrate` found out about what judges the work of the loop, as it is now. */
export interface JudgeCalibration {
  /** Such as "the checker" or "its checks together". */
  readonly what: string
  /** The upper bound of its false accepts. Absent: it was not measured. */
  readonly falseAcceptsHigh?: number
  /** The share of correct changes that it rejected. */
  readonly falseRejects?: number
}

export interface Known {
  /** Of the loop file. Absent: unknown. */
  readonly setting?: LevelSetting
  /** The last level that a change set. Absent: none did. */
  readonly stored?: Level
  readonly trials: readonly Trial[]
  /** There were runs that do not count, because something else judged them. */
  readonly hasOthers?: boolean
  readonly bars: LevelBars
  readonly calibration: JudgeCalibration
}

export interface Standing {
  readonly level: Level
  readonly evidence: LevelEvidence
  readonly next?: Level
  readonly missing: readonly string[]
  /** The next level is given without a person. */
  readonly isEarned: boolean
}

/** The newest ones count. */
export const trialsMax = 200

export function findStanding(known: Known): Standing {
  const { setting, stored, trials, bars } = known
  const level = setting === undefined ? (stored ?? defaultLevel) : effectiveLevel(setting, stored)
  const evidence = weigh(trials, bars.confidence)
  const ceiling = setting === undefined ? 3 : ceilingOf(setting)
  const next = level === 1 ? 2 : level === 2 ? 3 : undefined
  if (next === undefined) return { level, evidence, missing: [], isEarned: false }
  const missing = findMissing(next, evidence, known)
  if (next > ceiling) missing.unshift(`the loop file allows level ${ceiling} at most`)
  const isEarned = missing.length === 0 && next === 2 && setting === 'earned'
  return { level, evidence, next, missing, isEarned }
}

function weigh(trials: readonly Trial[], confidence: number): LevelEvidence {
  const counted = trials.toSorted((a, b) => b.atMs - a.atMs).slice(0, trialsMax)
  const successes = counted.filter(({ isSuccess }) => isSuccess).length
  const lower = lowerBound(successes, counted.length, confidence)
  return { trials: counted.length, successes, lower, confidence }
}

function findMissing(
  next: 2 | 3,
  { trials, lower }: LevelEvidence,
  { bars, calibration, hasOthers = false }: Known,
): string[] {
  const { bar, minimum } = bars[next]
  const { falseAcceptsMax } = bars
  const { what, falseAcceptsHigh: high, falseRejects = 0 } = calibration
  const missing: string[] = []
  const others = hasOthers ? ' (rounds that something else judged do not count)' : ''
  if (trials < minimum) missing.push(`${trials} of ${minimum} finished rounds${others}`)
  if (lower < bar) {
    missing.push(
      `verified success is at least ${percent(lower)} %, and ${percent(bar)} % is required`,
    )
  }
  const limit = `at most ${percent(falseAcceptsMax)} % may be accepted`
  if (high === undefined) {
    missing.push(
      `${what} was not measured as it is now (loopctl calibrate): ${limit} of planted defects`,
    )
  } else if (high > falseAcceptsMax) {
    missing.push(`${what} may accept ${percent(high)} % of planted defects, and ${limit}`)
  }
  // What rejects everything also rejects defects, and shows nothing by it.
  if (high !== undefined && falseRejects > rejectsMax) {
    missing.push(
      `${what} rejects ${percent(falseRejects)} % of correct changes, so it cannot tell them from defects`,
    )
  }
  return missing
}

const rejectsMax = 0.5

/** Rounded down for bounds that must be reached, so that it never looks like enough. */
const percent = (share: number): string => `${Math.floor(share * 1000 + 1e-9) / 10}`
