/** Phase 4: how good the artifacts are now, and how much that varies by itself. Fresh runs only. */

import { plural } from '../../../loop/excerpt/plural.ts'
import { passGate } from '../gates.ts'
import type { CaseResult } from '../measure/run-case.ts'
import {
  infrastructureOf,
  passingOf,
  runCases,
  toCritiques,
  toScores,
} from '../measure/run-cases.ts'
import { leavePhase, openPhase } from '../phase-proofs.ts'
import type { Plan } from '../plan/plan.ts'
import { describeNoise } from '../report/describe.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note } from '../report/note.ts'
import { points, tally } from '../report/numbers.ts'
import type { GateDecision } from '../shown.ts'
import { measureNoise, smallestVisibleGain, withinAssumed } from '../statistics/noise-floor.ts'
import { baselineRepeats, proofRepeats } from '../statistics/rule.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Baseline, TuneState } from '../tune-state.ts'
import { type Case, suiteCases, type Workload } from '../workload/workload.ts'

type BaselineState = Extract<TuneState, { phase: 'baseline' }>

const repeatsFrom = 20_000

export async function measureBaseline(
  session: TuneSession,
  state: BaselineState,
): Promise<TuneState> {
  const { it } = session
  const { workload } = state
  const { manifest, original } = workload
  const cases = suiteCases(workload)
  const repeats = manifest.repeats.baseline ?? baselineRepeats(cases.length)
  const assumed = visibleGain(workload, cases, withinAssumed)
  await openPhase(
    it,
    'baseline',
    `Running the baseline of ${manifest.workloadId}: ${plural(cases.length, 'case')}, ${plural(repeats, 'time')} each. ` +
      `A suite of this size can prove a gain of about ${points(assumed)}.`,
  )
  const log = [...state.log, ...(await note(it, [initialHypothesis(state.plan)]))]
  const runs = Array.from({ length: repeats }, (_, at) =>
    cases.map((one) => ({ case: one, repeat: repeatsFrom + at + 1 })),
  ).flat()
  const results = await runCases(it, workload, runs, { version: original, reuse: false })
  const infrastructure = infrastructureOf(results)
  if (results.every(({ type }) => type === 'unscored')) {
    const reason = `nothing could be measured: ${infrastructure.join('; ')}`
    return { phase: 'aborted', reason, log }
  }
  const baseline = toBaseline(workload, results, repeats)
  const entries = await note(it, describeBaseline(workload, baseline, results))
  const { scores, passing, critiques } = baseline
  const count = { passing: passing.length, of: cases.length }
  const presented = `Baseline: ${tally(count)} cases pass. ${describeNoise(baseline)}`
  const gate = await presentBaseline(session, presented, [
    presented,
    ...infrastructure,
    ...critiques.map(({ id, text }) => `${id}: ${text}`),
  ])
  const ended = [...log, ...entries]
  if (gate.to === 'calibration') {
    const { calibration: _calibration, ...setUp } = state
    return { ...setUp, phase: 'calibration', attempts: [], log: ended }
  }
  await leavePhase(it, 'baseline', {
    casesExecuted: `${plural(cases.length, 'case')}, ${plural(results.length, 'run')}`,
    baselineMetrics: tally(count),
    baselinePresented: presented,
    approved: `${gate.choice}, by ${gate.by}`,
  })
  const incumbent = { version: original, scores, passing, critiques }
  const { carried, ...rest } = state
  const found = {
    baseline,
    incumbent,
    candidates: carried?.candidates ?? [],
    trail: carried?.trail ?? [],
    log: ended,
    ...(carried === undefined ? {} : { carriedIterations: carried.trail.length }),
  }
  return gate.to === 'synthesis'
    ? { ...rest, ...found, phase: 'synthesis', exit: 'stopped' }
    : { ...rest, ...found, phase: 'iteration' }
}

/** "Let me review first" asks again, for as long as the person needs. */
async function presentBaseline(
  session: TuneSession,
  presented: string,
  happened: readonly string[],
): Promise<GateDecision> {
  const choices = [
    { label: 'begin', to: 'iteration' },
    { label: 'let me review first', to: 'baseline' },
    { label: 'back to calibration', to: 'calibration' },
    { label: 'stop', to: 'synthesis' },
  ] as const
  for (let review = 0; ; review++) {
    const gate = await passGate(session, {
      from: 'baseline',
      name: review === 0 ? 'baseline' : `baseline reviewed ${review}`,
      text: `${presented} ${review === 0 ? 'Ready to begin iteration?' : `See it with: loopctl tune show ${session.settings.ports?.run ?? ''}. Ready now?`}`,
      choices: review < reviewsMax ? choices : [choices[0], choices[2], choices[3]],
      happened,
    })
    if (gate.to !== 'baseline') return gate
  }
}

const reviewsMax = 10

function toBaseline(workload: Workload, results: readonly CaseResult[], repeats: number): Baseline {
  const scores = toScores(results)
  const noise = measureNoise(scores)
  return {
    scores,
    passing: passingOf(results),
    critiques: toCritiques(results),
    repeats,
    visibleGain: visibleGain(workload, suiteCases(workload), noise?.within ?? withinAssumed),
    ...(noise === undefined ? {} : { noise }),
  }
}

function describeBaseline(
  { split }: Workload,
  baseline: Baseline,
  results: readonly CaseResult[],
): readonly LogEntry[] {
  const { passing, critiques, repeats } = baseline
  const sealed = `Sealed until the end: ${plural(split.holdout.length, 'case')}; ${split.excluded.length} are left out.`
  return [
    {
      type: 'experiment',
      iteration: 0,
      what: `baseline, ${repeats} passes, nothing reused`,
      runs: results.length,
      infrastructure: infrastructureOf(results),
    },
    {
      type: 'critique',
      iteration: 0,
      passing: { passing: passing.length, of: split.suite.length },
      failing: critiques,
    },
    { type: 'insight', iteration: 0, text: describeNoise(baseline) },
    { type: 'insight', iteration: 0, text: sealed },
  ]
}

/** Of the plan, or a benign one: what is expected is on disk before anything is measured. */
function initialHypothesis(plan: Plan | undefined): LogEntry {
  const [first] = plan?.hypotheses ?? []
  return {
    type: 'hypothesis',
    iteration: 0,
    statement: first?.statement ?? 'The cases are processed correctly with the current artifacts.',
    prediction: first?.prediction ?? 'All cases pass.',
    improves: [],
  }
}

function visibleGain(
  { manifest, split }: Workload,
  cases: readonly Case[],
  within: number,
): number {
  const repeats =
    manifest.repeats.proof ??
    proofRepeats({ cases: cases.length, holdoutCases: split.holdout.length })
  return smallestVisibleGain({ cases: cases.length, repeats, within })
}
