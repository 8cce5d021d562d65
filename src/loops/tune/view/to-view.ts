/** The view of a tuning loop: what its state and its log say, as plain data. Pure. */

import { plural } from '../../../loop/excerpt/plural.ts'
import type {
  TuneView,
  ViewedBest,
  ViewedClaim,
  ViewedGain,
  ViewedHoldout,
  ViewedHypothesis,
  ViewedPoint,
} from '../../../protocol/index.ts'
import { gainOf, meanScore, tallyOf } from '../phases/trip.ts'
import { describeNoise } from '../report/describe.ts'
import { describeHoldout } from '../report/describe-holdout.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { interval, percent, points } from '../report/numbers.ts'
import { describeProof } from '../report/write-debrief.ts'
import type { ProofDecision } from '../statistics/proof.ts'
import { confidenceOf, proofAlpha } from '../statistics/rule.ts'
import type { Best, Ended, Looping, TuneState } from '../tune-state.ts'
import type { Workload } from '../workload/workload.ts'
import { flipIn, toMatrix } from './to-matrix.ts'
import { toRounds } from './to-rounds.ts'

export interface ViewSource {
  readonly run: string
  readonly state: TuneState
  /** Of the open iteration: entries that are not in the state yet. */
  readonly open: readonly LogEntry[]
  readonly intent?: string
}

export function toView({ run, state, open, intent }: ViewSource): TuneView {
  const looping = 'trail' in state ? state : undefined
  const workload = 'workload' in state ? state.workload : undefined
  const baseline = 'baseline' in state ? state.baseline : undefined
  const proof = state.phase === 'ended' ? state.proof : undefined
  const exit = state.phase === 'aborted' ? state.reason : 'exit' in state ? state.exit : undefined
  const { noise } = baseline ?? {}
  return {
    run,
    phase: state.phase,
    mode: 'mode' in state ? state.mode : '',
    ...(intent === undefined ? {} : { intent }),
    ...(workload === undefined ? {} : { workload: toWorkload(workload) }),
    ...(baseline === undefined
      ? {}
      : {
          noise: {
            repeats: baseline.repeats,
            flaky: noise?.flaky ?? [],
            visibleGain: baseline.visibleGain,
            text: describeNoise(baseline),
            ...(noise === undefined ? {} : { passDeviation: noise.passDeviation }),
          },
        }),
    ...(looping === undefined ? {} : { best: toBest(looping, proof) }),
    history: looping === undefined ? [] : toHistory(looping),
    matrix: toMatrix(looping),
    hypotheses: (looping?.trail ?? []).map((record): ViewedHypothesis => {
      const { iteration, hypothesis, measured } = record
      const { statement, prediction, outcome, improves } = hypothesis
      const cases = improves.map((id) => ({ id, flip: flipIn(measured?.flips, id) }))
      return { iteration, statement, prediction, outcome, cases }
    }),
    rounds: toRounds([...state.log, ...open], looping?.trail ?? []),
    holdout: state.phase === 'ended' ? toOpened(state) : toHoldout(workload),
    broken: state.phase === 'ended' ? state.regressions.broken : [],
    suspect: state.phase === 'ended' ? state.regressions.suspect : [],
    ...(proof === undefined ? {} : { proof: toClaim(proof) }),
    ...(exit === undefined ? {} : { exit }),
    ...(state.phase === 'ended' ? { applied: state.applied } : {}),
  }
}

function toWorkload({
  manifest,
  manifestPath,
  split,
}: Workload): NonNullable<TuneView['workload']> {
  const { workloadId, artifactPaths, maxIterations } = manifest
  const { suite, holdout, excluded } = split
  return {
    id: workloadId,
    manifest: manifestPath,
    artifacts: artifactPaths,
    cases: { suite: suite.length, sealed: holdout.length, excluded: excluded.length },
    excluded,
    maxIterations,
  }
}

/** The interval of the best version is the one that a proof of it would have. */
const toGain = ({ delta, low, high }: NonNullable<Best['gain']>): ViewedGain => ({
  delta,
  low,
  high,
  confidence: confidenceOf(proofAlpha(1)),
})

function toPoint(iteration: number, { passing, mean, gain }: Best): ViewedPoint {
  return { iteration, passing, mean, ...(gain === undefined ? {} : { gain: toGain(gain) }) }
}

function toHistory({ trail, baseline, workload }: Looping): readonly ViewedPoint[] {
  const passing = { passing: baseline.passing.length, of: workload.split.suite.length }
  return [
    { iteration: 0, passing, mean: meanScore(baseline.scores) },
    ...trail.map(({ iteration, best }) => toPoint(iteration, best)),
  ]
}

function toBest(looping: Looping, proof: ProofDecision | undefined): ViewedBest {
  const { trail, incumbent, workload } = looping
  const iteration = trail.findLast(({ measured }) =>
    measured?.options.some(({ result }) => result.type === 'kept'),
  )?.iteration
  const isOriginal = Object.entries(incumbent.version.artifacts).every(
    ([path, text]) => workload.original.artifacts[path] === text,
  )
  const last = trail.at(-1)
  const point: ViewedPoint =
    last === undefined
      ? { iteration: 0, passing: tallyOf(looping), mean: meanScore(incumbent.scores) }
      : { ...toPoint(last.iteration, last.best), iteration: iteration ?? 0 }
  const label = isOriginal ? 'baseline' : proof?.type === 'claim' ? proof.verdict : 'kept'
  const { gain } = point
  const words =
    gain === undefined
      ? points(gainOf(looping))
      : `${points(gain.delta)} (${percent(gain.confidence)} interval ${interval(gain)})`
  const text =
    label === 'baseline'
      ? 'Nothing was kept so far: the best version is the one it began with.'
      : proof === undefined
        ? `Kept, not proven: ${words}.`
        : describeProof(proof)
  return { ...point, label, text }
}

function toClaim(proof: ProofDecision): ViewedClaim {
  const text = describeProof(proof)
  if (proof.type === 'no-claim') return { verdict: 'no-claim', text }
  const { verdict, estimate, interval: range, confidence } = proof
  return { verdict, text, gain: { delta: estimate.delta, ...range, confidence } }
}

/** After the end: what it said, or why it stayed sealed. */
function toOpened({ holdout, workload }: Ended): ViewedHoldout {
  const text = describeHoldout(holdout)
  const cases = workload.split.holdout.length
  if (holdout.type === 'none' || holdout.type === 'sealed') {
    return { cases, status: holdout.type, text }
  }
  if (holdout.type === 'no-claim') return { cases, status: 'opened', verdict: 'no-claim', text }
  const { verdict, estimate, interval: range, confidence } = holdout
  const gain = { delta: estimate.delta, ...range, confidence }
  return { cases, status: 'opened', verdict, gain, text }
}

function toHoldout(workload: Workload | undefined): ViewedHoldout {
  const cases = workload?.split.holdout.length ?? 0
  return cases === 0
    ? { cases, status: 'none', text: 'No case is sealed, so nothing is said of other cases.' }
    : {
        cases,
        status: 'sealed',
        text: `${plural(cases, 'case')} ${cases === 1 ? 'is' : 'are'} sealed until the end.`,
      }
}
