/**
 * Three options from what a search knows. Each is an edit of the configuration that the artifact has now: the knobs that it
 * turns are its mechanism. An edit that was tried is never offered again, and neither is the current configuration.
 */

import type { Random } from '../statistics/random.ts'
import {
  alternatives,
  type Configuration,
  countConfigurations,
  drawConfiguration,
  type Knob,
  type KnobValue,
  keyOf,
  mutate,
} from './knobs.ts'
import type { Search } from './search.ts'
import { estimateTrials, rankTrials } from './trials.ts'

export interface SearchOption {
  readonly values: Configuration
  readonly turned: readonly Turn[]
  /** Expected gain over the current configuration; absent: the search did not run this one. */
  readonly expected?: number
}

export interface Turn {
  readonly name: string
  readonly from: KnobValue
  readonly to: KnobValue
}

export type Proposal =
  /** The recommended one first. */
  | {
      readonly type: 'options'
      readonly options: readonly [SearchOption, SearchOption, SearchOption]
    }
  /** Fewer than three edits are left. */
  | { readonly type: 'exhausted'; readonly options: readonly SearchOption[] }

export function proposeOptions(
  knobs: readonly Knob[],
  search: Search,
  history: {
    readonly current: Configuration
    readonly tried: readonly Configuration[]
    /** `one`: each option turns one knob. */
    readonly variables?: 'one' | 'many'
  },
  random: Random,
): Proposal {
  const { current, tried, variables = 'many' } = history
  const refused = new Set([keyOf(current), ...tried.map(keyOf)])
  const found: Configuration[] = []
  const add = (values: Configuration): void => {
    if (found.length === optionsWanted || refused.has(keyOf(values))) return
    const alone = variables === 'one' ? splitTurns(current, values) : []
    if (alone.length > 1) return alone.forEach(add)
    refused.add(keyOf(values))
    found.push(values)
  }
  for (const at of rankTrials(search.trials)) add(search.trials[at]?.values ?? current)
  for (const values of untriedConfigurations(knobs, current, random)) add(values)
  const options = found.map((values) => toOption(knobs, search, current, values))
  const [first, second, third] = options
  if (first === undefined || second === undefined || third === undefined) {
    return { type: 'exhausted', options }
  }
  return { type: 'options', options: [first, second, third] }
}

/** Each difference as a configuration of its own. */
const splitTurns = (current: Configuration, values: Configuration): readonly Configuration[] =>
  values.flatMap((value, at) => (value === current[at] ? [] : [current.with(at, value)]))

const optionsWanted = 3
const drawsMax = 60

/** For a search that knows too little: neighbors first, then chance, then everything if that is not much. */
function* untriedConfigurations(
  knobs: readonly Knob[],
  current: Configuration,
  random: Random,
): Generator<Configuration> {
  for (let draw = 0; draw < drawsMax; draw++) {
    yield draw < drawsMax / 2 ? mutate(knobs, current, random) : drawConfiguration(knobs, random)
  }
  if (countConfigurations(knobs) > everythingMax) return
  const known = new Map([[keyOf(current), current]])
  for (const values of known.values()) {
    for (const at of knobs.keys()) {
      for (const next of alternatives(knobs, values, at, oneStep)) {
        known.set(keyOf(next), next)
        yield next
      }
    }
  }
}

const everythingMax = 10_000
/** A part of the range that is less than any step: numbers move by one. */
const oneStep = 1e-9

function toOption(
  knobs: readonly Knob[],
  { trials }: Search,
  current: Configuration,
  values: Configuration,
): SearchOption {
  const turned = knobs.flatMap(({ name }, at): readonly Turn[] => {
    const [from, to] = [current[at], values[at]]
    return from === undefined || to === undefined || from === to ? [] : [{ name, from, to }]
  })
  const estimates = estimateTrials(trials)
  const meanOf = (wanted: Configuration): number | undefined => {
    const estimate = estimates[trials.findIndex((trial) => keyOf(trial.values) === keyOf(wanted))]
    return estimate === undefined || estimate.runs === 0 ? undefined : estimate.shrunk
  }
  const [mean, base] = [meanOf(values), meanOf(current)]
  if (mean === undefined || base === undefined) return { values, turned }
  return { values, turned, expected: mean - base }
}
