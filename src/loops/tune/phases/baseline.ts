/** Phase 4: how good the artifacts are now, and how much that varies by itself. Fresh runs only. */

import type { CaseResult } from '../measure/run-case.ts'
import {
  infrastructureOf,
  passingOf,
  runCases,
  toCritiques,
  toScores,
} from '../measure/run-cases.ts'
import { leavePhase, openPhase } from '../phase-proofs.ts'
import { askWhich } from '../questions.ts'
import { describeNoise } from '../report/describe.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note } from '../report/note.ts'
import { points, tally } from '../report/numbers.ts'
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
    `Running the baseline of ${manifest.workloadId}: ${cases.length} cases, ${repeats} times each. ` +
      `A suite of this size can prove a gain of about ${points(assumed)}.`,
  )
  const log = [...state.log, ...(await note(it, [initialHypothesis]))]
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
  const answer = await askWhich(session, 'baseline', {
    text: `${presented} Ready to begin iteration?`,
    options: ['begin', 'stop'],
    default: 'begin',
    policy: 'begin',
    happened: [presented, ...infrastructure, ...critiques.map(({ id, text }) => `${id}: ${text}`)],
  })
  await leavePhase(it, 'baseline', {
    casesExecuted: `${cases.length} cases, ${results.length} runs`,
    baselineMetrics: tally(count),
    baselinePresented: presented,
    approved: answer,
  })
  const incumbent = { version: original, scores, passing, critiques }
  const found = { baseline, incumbent, candidates: [], trail: [], log: [...log, ...entries] }
  return answer === 'stop'
    ? { ...state, ...found, phase: 'synthesis', exit: 'stopped' }
    : { ...state, ...found, phase: 'iteration' }
}

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
  const sealed = `${split.holdout.length} cases are sealed until the end; ${split.excluded.length} are left out.`
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

const initialHypothesis: LogEntry = {
  type: 'hypothesis',
  iteration: 0,
  statement: 'The cases are processed correctly with the current artifacts.',
  prediction: 'All cases pass.',
  improves: [],
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
