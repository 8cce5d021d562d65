/**
 * Searches the knobs of an artifact without a model. It says what to run next and learns from the scores; brackets and
 * sweeps alternate for as long as the caller pays (`stages.ts`).
 *
 * 1. All runs of a configuration are pooled, and none wins by a single lucky comparison.
 * 2. Configurations with the same number of batches ran the same cases: the suite is cut into four parts, and batch n of
 *    a configuration is part n modulo 4.
 * 3. A search is JSON. The same scores and the same generator give the same search again.
 *
 * A search makes no claim. What it finds is offered as options, measured as any candidate is, and proven at the end.
 */

import type { Random } from '../statistics/random.ts'
import { type Configuration, countConfigurations, type Knob } from './knobs.ts'
import { afterBatch, nextStage, openBracket, type Progress, wantedTrials } from './stages.ts'
import { parts, rankTrials, untried, withScores } from './trials.ts'

export interface Search extends Progress {
  /** What to run next: a configuration on a part of the suite. None: there is nothing to choose from. */
  readonly batch: readonly BatchRun[]
}

export interface BatchRun {
  readonly trial: number
  readonly part: number
}

/** Begins with the configuration that the artifact has now. */
export function startSearch(
  knobs: readonly Knob[],
  current: Configuration,
  random: Random,
): Search {
  const begin: Progress = {
    trials: [untried(current)],
    stage: { type: 'bracket', entrants: [0], batches: 1 },
    stages: 0,
  }
  if (countConfigurations(knobs) < 2) return { ...begin, batch: [] }
  return planBatch(knobs, openBracket(knobs, begin, random), random)
}

/** Records the scores of the batch, in its order. A run without a score is left out. */
export function recordBatch(
  knobs: readonly Knob[],
  search: Search,
  scores: readonly (readonly number[])[],
  random: Random,
): Search {
  if (search.batch.length === 0) return search
  const trials = [...search.trials]
  for (const [at, { trial, part }] of search.batch.entries()) {
    const known = trials[trial]
    if (known !== undefined) trials[trial] = withScores(known, part, scores[at] ?? [])
  }
  const { stage, stages } = search
  return planBatch(knobs, afterBatch({ trials, stage, stages }), random)
}

/** The cases of a part. Every fourth of the order that the loop chose for its search. */
export const casesOfPart = <T>(order: readonly T[], part: number): readonly T[] =>
  order.filter((_one, at) => at % parts === part)

/** The configuration that is best as far as it is known. */
export const bestConfiguration = ({ trials }: Search): Configuration =>
  trials[rankTrials(trials)[0] ?? 0]?.values ?? []

function planBatch(knobs: readonly Knob[], progress: Progress, random: Random): Search {
  let next = progress
  for (let stages = 0; stages < silentStagesMax; stages++) {
    const wanted = wantedTrials(next)
    if (wanted.length > 0) return withBatch(next, wanted)
    next = nextStage(knobs, next, random)
  }
  // All stages know their trials: the best ones are run again.
  return withBatch(next, rankTrials(next.trials).slice(0, 3))
}

/** Stages in a row that want no run, since few configurations are possible and all were run. */
const silentStagesMax = 100

const withBatch = (progress: Progress, wanted: readonly number[]): Search => ({
  ...progress,
  batch: wanted.map((trial) => ({ trial, part: (progress.trials[trial]?.batches ?? 0) % parts })),
})
