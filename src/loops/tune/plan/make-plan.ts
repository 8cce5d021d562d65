/** Makes a plan from what is known before anything ran: the manifest, an earlier debrief, and what a person said. Pure. */

import type { Knob } from '../../../protocol/index.ts'
import type { Workload } from '../workload/workload.ts'
import {
  type Criteria,
  type Experiment,
  type Plan,
  type PlannedHypothesis,
  rankHypotheses,
} from './plan.ts'
import type { PriorLoop } from './read-prior.ts'

export interface PlanSource {
  readonly workload: Workload
  /** What a person said about each topic of the interrogation. */
  readonly topics: { readonly [topic: string]: string }
  readonly prior?: PriorLoop
  /** Documents of the project that were found, such as TESTING.md. */
  readonly documents: readonly string[]
}

const focusMax = 5
const guardsMax = 3
const hypothesesMax = 30

export function makePlan({ workload, topics, prior, documents }: PlanSource): Plan {
  const { manifest, split } = workload
  const knobs = Object.entries(manifest.knobs).slice(0, hypothesesMax)
  const ofKnobs = knobs.map(([name, knob]) => toHypothesis(name, knob, prior))
  const hypotheses = rankHypotheses(ofKnobs.length > 0 ? ofKnobs : [benign(topics['failures'])])
  const known = new Set(split.suite)
  const failing = (prior?.failing ?? []).filter((id) => known.has(id))
  const focus = (split.focus.length > 0 ? split.focus : failing).slice(0, focusMax)
  const guards =
    split.guards.length > 0
      ? split.guards
      : (prior?.passing ?? []).filter((id) => known.has(id) && !focus.includes(id))
  return {
    problem:
      topics['goals'] ??
      `Cases of ${manifest.workloadId} fail with the current artifacts: ${manifest.artifactPaths.join(', ')}.`,
    failureContext: [
      ...(topics['failures'] === undefined ? [] : [topics['failures']]),
      ...(prior === undefined ? [] : prior.lessons),
      ...documents.map((path) => `${path} of the project was read.`),
    ],
    hypotheses,
    experiments: toExperiments(hypotheses, knobs, workload),
    focus,
    guards: guards.slice(0, guardsMax),
    exclusions: split.excluded,
    criteria: toCriteria(topics['stopping'], manifest.maxIterations),
  }
}

/** Even a benign first hypothesis is a record of what was expected. */
const benign = (failures: string | undefined): PlannedHypothesis => ({
  statement:
    failures === undefined
      ? 'The artifacts lack something that the failing cases need.'
      : `The artifacts do not handle this: ${failures}`,
  prediction: 'The baseline shows which cases fail, and their critiques show a common cause.',
  likelihood: 'medium',
  testability: 'medium',
  impact: 'medium',
})

function toHypothesis(name: string, knob: Knob, prior: PriorLoop | undefined): PlannedHypothesis {
  const tried = prior?.tried.find((one) => one.text.includes(name))
  const likelihood = tried === undefined ? 'medium' : tried.outcome === 'rejected' ? 'low' : 'high'
  return {
    statement: `The value of the knob ${name} causes failures.`,
    prediction: `Another value of ${name} fixes cases that fail now.`,
    likelihood,
    testability: countValues(knob) <= 5 ? 'high' : 'medium',
    impact: knob.type === 'text' ? 'high' : 'medium',
  }
}

function countValues(knob: Knob): number {
  switch (knob.type) {
    case 'number':
      return knob.step === undefined ? 100 : Math.floor((knob.max - knob.min) / knob.step) + 1
    case 'choice':
      return knob.values.length
    case 'toggle':
      return 2
    case 'text':
      return knob.variants.length
  }
}

function toExperiments(
  hypotheses: readonly PlannedHypothesis[],
  knobs: readonly (readonly [string, Knob])[],
  { manifest }: Workload,
): readonly Experiment[] {
  if (knobs.length === 0) {
    const [file = ''] = manifest.artifactPaths
    return [
      {
        hypothesis: 1,
        file,
        section: 'all of it',
        current: '',
        change: 'as the composer proposes',
      },
    ]
  }
  return knobs
    .map(([name, knob]) => ({
      hypothesis: 1 + hypotheses.findIndex(({ statement }) => statement.includes(`knob ${name} `)),
      file: knob.file ?? manifest.artifactPaths[0] ?? '',
      section: name,
      current: knob.text,
      change: describeValues(knob),
    }))
    .toSorted((a, b) => a.hypothesis - b.hypothesis)
}

function describeValues(knob: Knob): string {
  switch (knob.type) {
    case 'number':
      return `a number from ${knob.min} to ${knob.max}`
    case 'choice':
      return `one of ${knob.values.map((value) => JSON.stringify(value)).join(', ')}`
    case 'toggle':
      return `${JSON.stringify(knob.on)} or ${JSON.stringify(knob.off)}`
    case 'text':
      return `one of ${knob.variants.length} texts`
  }
}

function toCriteria(stopping: string | undefined, iterations: number): Criteria {
  const found = /(\d{1,3}(?:\.\d+)?)\s*%/.exec(stopping ?? '')?.[1]
  const target = found === undefined ? undefined : Math.min(1, Number(found) / 100)
  return {
    ...(target === undefined || target === 0 ? {} : { target }),
    minimum: 'The proof says "improved", and no case is broken.',
    qualitative: stopping ?? 'Fewer cases fail, for the reasons that the hypotheses name.',
    exits: [
      target === undefined ? 'all cases pass' : `${found} % of the cases pass`,
      `${iterations} changes were tried`,
      'no change is kept in several iterations',
      'the result is below the baseline after 3 iterations',
    ],
  }
}
