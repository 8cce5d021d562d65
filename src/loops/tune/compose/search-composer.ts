/**
 * The composer that needs no model: it turns the knobs of the manifest. It runs configurations on parts of the suite, and offers
 * the three best ones as options. The knob is the mechanism, and what it saw is the prediction: neither is a claim.
 */

import { plural } from '../../../loop/excerpt/plural.ts'
import type { Iteration } from '../../../loop/index.ts'
import type { Manifest, Knob as WrittenKnob } from '../../../protocol/index.ts'
import { runCases } from '../measure/run-cases.ts'
import { points } from '../report/numbers.ts'
import type { Configuration } from '../search/knobs.ts'
import { proposeOptions, type SearchOption, type Turn } from '../search/options.ts'
import { casesOfPart, recordBatch, type Search, startSearch } from '../search/search.ts'
import { randomFrom, shuffle } from '../statistics/random.ts'
import type { Looping, SearchState } from '../tune-state.ts'
import { suiteCases, type Version, type Workload } from '../workload/workload.ts'
import {
  configurationOf,
  findPlace,
  type KnobPlace,
  toSearchKnob,
  turnKnobs,
  writeValue,
} from './knob-places.ts'
import type { Composition, Edit, Option } from './option.ts'

export interface SearchRequest {
  readonly iteration: number
  /** How much it may run, in passes over the suite. */
  readonly passes: number
  readonly variables: 'one' | 'many'
}

export interface Composed {
  readonly composition: Composition
  readonly search: SearchState
  readonly runs: number
}

export async function composeBySearch(
  it: Iteration,
  looping: Looping,
  { iteration, passes, variables }: SearchRequest,
): Promise<Composed> {
  const { workload, incumbent, search: before } = looping
  const knobs = Object.entries(workload.manifest.knobs).map(([name, knob]) =>
    toSearchKnob(name, knob),
  )
  const places = placesIn(workload.manifest, incumbent.version)
  const current = configurationOf(places)
  const random = randomFrom(workload.seed + 7919 * iteration)
  const order = shuffle(suiteCases(workload), randomFrom(workload.seed))
  let search = before?.search ?? startSearch(knobs, current, random)
  let runs = 0
  while (search.batch.length > 0 && runs < passes * order.length) {
    const scores = await runBatch(it, workload, search, {
      order,
      places,
      version: incumbent.version,
    })
    search = recordBatch(knobs, search, scores.scores, random)
    runs += scores.runs
  }
  const tried = before?.tried ?? []
  const { options } = proposeOptions(knobs, search, { current, tried, variables }, random)
  return {
    runs,
    search: { search, tried: [...tried, ...options.map(({ values }) => values)] },
    composition: {
      rootCause: describeCause(looping, search, runs),
      options: options.map((option, at) => toOption(option, { iteration, at, places, looping })),
    },
  }
}

interface BatchPlace {
  readonly order: ReturnType<typeof suiteCases>
  readonly places: readonly KnobPlace[]
  readonly version: Version
}

async function runBatch(
  it: Iteration,
  workload: Workload,
  search: Search,
  { order, places, version }: BatchPlace,
): Promise<{ readonly scores: readonly (readonly number[])[]; readonly runs: number }> {
  const planned = search.batch.flatMap(({ trial, part }, entry) => {
    const known = search.trials[trial]
    // A part that comes up again is another sample of the same cases.
    const repeat = 1 + Math.floor((known?.batches ?? 0) / 4)
    return casesOfPart(order, part).map((one) => ({ entry, run: { case: one, repeat } }))
  })
  const versions = search.batch.map(({ trial }) =>
    turnedVersion(version, places, search.trials[trial]?.values ?? []),
  )
  const optionOf = new Map(
    planned.map(({ entry, run }) => [run, { version: versions[entry] ?? version, reuse: true }]),
  )
  const results = await runCases(
    it,
    workload,
    planned.map(({ run }) => run),
    (run) => optionOf.get(run) ?? { version, reuse: true },
  )
  const scores = search.batch.map((_run, entry) =>
    planned.flatMap((one, at) => {
      const result = one.entry === entry ? results[at] : undefined
      return result?.type === 'scored' ? [result.score] : []
    }),
  )
  return { scores, runs: planned.length }
}

function turnedVersion(
  { artifacts }: Version,
  places: readonly KnobPlace[],
  values: Configuration,
): Version {
  const turned = Object.entries(artifacts).map(([file, text]) => {
    const inFile = places.flatMap((place, at) => {
      const value = values[at] ?? place.value
      return place.file === file && value !== place.value ? [{ place, value }] : []
    })
    const texts = turnKnobs(
      text,
      inFile.map(({ place }) => place),
      inFile.map(({ value }) => value),
    )
    return [file, texts] as const
  })
  return { artifacts: Object.fromEntries(turned) }
}

function toOption(
  { values, turned, expected }: SearchOption,
  at: {
    readonly iteration: number
    readonly at: number
    readonly places: readonly KnobPlace[]
    readonly looping: Looping
  },
): Option {
  const { places, looping } = at
  const named = turned.map(({ name, from, to }) => `${name}: ${String(from)} to ${String(to)}`)
  const seen = expected === undefined ? 'not run yet' : `${points(expected)} in the search`
  return {
    id: `${at.iteration}.${at.at + 1}`,
    name: named.join(', ').slice(0, 200),
    summary: `Turns ${turned.length} of ${values.length} knobs (${seen}).`,
    mechanism: `Knobs: ${named.join(', ')}`,
    edits: turned.map((turn) => toEdit(turn, places, looping)),
    prediction: {
      // The search pools scores over cases, so it predicts those that fail now.
      improves: failingNow(looping),
      ...(expected === undefined ? {} : { gain: expected }),
    },
    isRecommended: at.at === 0,
  }
}

function toEdit(turn: Turn, places: readonly KnobPlace[], { workload }: Looping): Edit {
  const place = places.find(({ name }) => name === turn.name)
  const knob = workload.manifest.knobs[turn.name]
  if (place === undefined || knob === undefined) throw new Error(`There is no knob ${turn.name}.`)
  const write = (value: Turn['to']): string =>
    knob.text.replace('{value}', () => writeValue(knob, value))
  return {
    file: place.file,
    section: turn.name,
    current: write(turn.from),
    proposed: write(turn.to),
  }
}

export const failingNow = ({ workload, incumbent }: Looping): readonly string[] =>
  workload.split.suite.filter((id) => !incumbent.passing.includes(id))

function describeCause(looping: Looping, { trials }: Search, runs: number): string {
  const failing = failingNow(looping)
  const some = failing.slice(0, 5).join(', ')
  return (
    `Not passing: ${plural(failing.length, 'case')}${some === '' ? '' : ` (${some}${failing.length > 5 ? ', …' : ''})`}. The search knows ` +
    `${trials.length} configurations of ${Object.keys(looping.workload.manifest.knobs).length} knobs, from ${runs} new runs.`
  )
}

/** The knobs in these texts. Valid: they were found when the loop was set up, and only their values change. */
function placesIn(manifest: Manifest, version: Version): readonly KnobPlace[] {
  return Object.entries(manifest.knobs).map(([name, knob]) => {
    const found = findIn(manifest, name, knob, version)
    if (found.type === 'found') return found.place
    throw new Error(found.problem)
  })
}

function findIn(manifest: Manifest, name: string, knob: WrittenKnob, { artifacts }: Version) {
  const file = knob.file ?? manifest.artifactPaths[0] ?? ''
  return findPlace(name, knob, file, artifacts[file] ?? '')
}

export const findKnobProblems = (manifest: Manifest, version: Version): readonly string[] =>
  Object.entries(manifest.knobs).flatMap(([name, knob]) => {
    const found = findIn(manifest, name, knob, version)
    return found.type === 'problem' ? [found.problem] : []
  })
