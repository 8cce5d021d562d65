/**
 * The two stages of a search, which alternate. A bracket finds a good region: many configurations run a part of the
 * suite, and the best third goes on with three times the runs, until one is left. A sweep refines it: for each knob, the
 * other values are raced against the best configuration, and what is clearly behind is dropped.
 */

import { type Random, shuffle } from '../statistics/random.ts'
import { alternatives, type Configuration, drawConfiguration, type Knob, mutate } from './knobs.ts'
import { estimateTrials, isBehind, rankTrials, type Trial, untried } from './trials.ts'

export type Stage =
  | {
      readonly type: 'bracket'
      /** The trials that are still in it, and the batches that each of them has to have. */
      readonly entrants: readonly number[]
      readonly batches: number
    }
  | {
      readonly type: 'sweep'
      /** The knobs that are still to come, the current one first. */
      readonly knobs: readonly number[]
      /** How far numbers are moved, as a part of their range. */
      readonly part: number
      readonly contenders: readonly number[]
      readonly rounds: number
    }

export interface Progress {
  readonly trials: readonly Trial[]
  readonly stage: Stage
  /** How many stages there have been: a bracket, a sweep, a bracket, and so on. */
  readonly stages: number
}

const bracketSize = 12
const randomShare = 0.4
const batchesLast = 9
const roundsMax = 8
/** A trial that is so many batches ahead waits for the others. */
const aheadMax = 4
const sweepParts = [0.25, 0.15, 0.09, 0.05]

/** The trials that the stage wants to run next; none: it is over. */
export function wantedTrials({ trials, stage }: Progress): readonly number[] {
  const batchesOf = (at: number): number => trials[at]?.batches ?? 0
  if (stage.type === 'bracket') {
    return stage.entrants.filter((at) => batchesOf(at) < stage.batches)
  }
  if (stage.contenders.length < 2 || stage.rounds >= roundsMax) return []
  const fewest = Math.min(...stage.contenders.map(batchesOf))
  return stage.contenders.filter((at) => batchesOf(at) < fewest + aheadMax)
}

/** After the runs of a batch were recorded. */
export function afterBatch(progress: Progress): Progress {
  const { trials, stage } = progress
  if (stage.type === 'bracket') return progress
  const estimates = estimateTrials(trials)
  const ofContenders = stage.contenders.flatMap((at) => estimates[at] ?? [])
  const leader = ofContenders.reduce((best, one) => (one.mean > best.mean ? one : best))
  const contenders = stage.contenders.filter((at) => {
    const estimate = estimates[at]
    return estimate !== undefined && !isBehind(estimate, leader)
  })
  return { ...progress, stage: { ...stage, contenders, rounds: stage.rounds + 1 } }
}

/** What follows when the stage wants no more runs. */
export function nextStage(knobs: readonly Knob[], progress: Progress, random: Random): Progress {
  const { trials, stage, stages } = progress
  if (stage.type === 'bracket') {
    const ranked = rankTrials(trials).filter((at) => stage.entrants.includes(at))
    const kept = ranked.slice(0, Math.ceil(stage.entrants.length / 3))
    if (kept.length > 1 && stage.batches < batchesLast) {
      return { ...progress, stage: { ...stage, entrants: kept, batches: stage.batches * 3 } }
    }
    const order = shuffle([...knobs.keys()], random)
    const part = sweepParts[((stages - 1) / 2) % sweepParts.length] ?? 0.05
    return openRace(knobs, { ...progress, stages: stages + 1 }, order, part)
  }
  const rest = stage.knobs.slice(1)
  if (rest.length > 0) return openRace(knobs, progress, rest, stage.part)
  return openBracket(knobs, progress, random)
}

export function openBracket(knobs: readonly Knob[], progress: Progress, random: Random): Progress {
  const { trials, stages } = progress
  const best = rankTrials(trials)[0] ?? 0
  const all = [...trials]
  const entrants = new Set([best])
  const values = trials[best]?.values ?? []
  for (let tries = 0; entrants.size < bracketSize && tries < 20 * bracketSize; tries++) {
    const drawn =
      random() < randomShare ? drawConfiguration(knobs, random) : mutate(knobs, values, random)
    entrants.add(placeOf(all, drawn))
  }
  const stage: Stage = { type: 'bracket', entrants: [...entrants], batches: 1 }
  return { trials: all, stage, stages: stages + 1 }
}

/** Races the values of the first knob. */
function openRace(
  knobs: readonly Knob[],
  progress: Progress,
  order: readonly number[],
  part: number,
): Progress {
  const all = [...progress.trials]
  const best = rankTrials(all)[0] ?? 0
  const others = alternatives(knobs, all[best]?.values ?? [], order[0] ?? 0, part)
  const contenders = [best, ...others.map((values) => placeOf(all, values))]
  return {
    ...progress,
    trials: all,
    stage: { type: 'sweep', knobs: order, part, contenders, rounds: 0 },
  }
}

/** The place of the trial with these values, which is added if there is none. */
function placeOf(trials: Trial[], values: Configuration): number {
  const known = trials.findIndex((trial) => values.every((one, at) => one === trial.values[at]))
  return known >= 0 ? known : trials.push(untried(values)) - 1
}
