/** Hypothesize, run and review: what is expected of the edit of the trip before, and what its run found. */

import { plural } from '../../../loop/excerpt/plural.ts'
import { checkRegressions, type Regressions } from '../measure/check-regressions.ts'
import { type MeasuredCandidates, measureCandidates } from '../measure/measure-candidates.ts'
import { rulesOf } from '../modes.ts'
import { askWhich } from '../questions.ts'
import { describeVerdict } from '../report/describe.ts'
import { describeRegressions } from '../report/describe-regressions.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note } from '../report/note.ts'
import { points } from '../report/numbers.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Hypothesis, Looping } from '../tune-state.ts'
import { bestOf, gainOf, meanScore, type Trip, tallyOf } from './trip.ts'

export async function measureEdit(
  session: TuneSession,
  looping: Looping,
  { iteration, log }: { readonly iteration: number; readonly log: readonly LogEntry[] },
): Promise<Trip> {
  const stated = stateHypothesis(looping)
  const { outcome: _outcome, ...prediction } = stated
  const { it } = session
  const logged = [...log, ...(await note(it, [{ type: 'hypothesis', iteration, ...prediction }]))]
  if (looping.candidates.length === 0) {
    const best = bestOf(looping)
    const record = { iteration, hypothesis: stated, passing: best.passing, best }
    return { looping, record, log: logged }
  }
  const measured = await measureCandidates(it, looping, iteration)
  const regressions = await findRegressions(session, looping, measured, iteration)
  const answer = await askAboutRegressions(session, regressions, iteration)
  const made = answer === 'try different hypothesis next' ? dropKept(measured) : measured
  const { kept, options, flips } = made
  const next: Looping = {
    ...looping,
    candidates: [],
    ...(kept === undefined ? {} : { incumbent: kept }),
  }
  const hypothesis = { ...stated, outcome: judgeHypothesis(stated, made) }
  const entries = await note(it, [
    ...describeRun(next, made, { iteration, regressions, hypothesis }),
    ...(answer === undefined ? [] : [describeRegressions(regressions, iteration, answer)]),
  ])
  return {
    looping: next,
    record: {
      iteration,
      hypothesis,
      measured: { options, flips, broken: regressions.broken, suspect: regressions.suspect },
      passing: tallyOf(next),
      best: bestOf(next),
    },
    log: [...logged, ...entries],
    ...(answer === 'stop and analyze' ? { exit: 'regression' } : {}),
  }
}

/** In the words of the options that are about to be measured. */
function stateHypothesis({ candidates, baseline, workload }: Looping): Hypothesis {
  const [first, ...others] = candidates
  if (first === undefined) {
    const failing = workload.split.suite.filter((id) => !baseline.passing.includes(id))
    return {
      statement: `The artifacts lack something for ${plural(failing.length, 'case')}.`,
      prediction: 'The run without a change agrees with the baseline.',
      improves: [],
      outcome: 'untested',
    }
  }
  const { mechanism, prediction } = first.option
  const gain = prediction.gain === undefined ? 'a gain' : points(prediction.gain)
  const also = others.length === 0 ? '' : ` ${others.length} other options race it.`
  return {
    statement: `${mechanism} helps the cases that fail.${also}`,
    prediction: `After this change: ${gain}; ${prediction.improves.join(', ') || 'no case'} should improve.`,
    improves: prediction.improves,
    outcome: 'untested',
  }
}

function judgeHypothesis(
  { improves }: Hypothesis,
  { kept, flips }: MeasuredCandidates,
): Hypothesis['outcome'] {
  if (kept === undefined) return 'rejected'
  const fixed = new Set(flips.fixed)
  return improves.every((id) => fixed.has(id)) ? 'confirmed' : 'partially-confirmed'
}

/** A decision of the person or of their policy: the change is dropped, and shown as the regression that it is. */
function dropKept({ kept: _kept, options, ...rest }: MeasuredCandidates): MeasuredCandidates {
  return {
    ...rest,
    options: options.map(({ option, result }) =>
      result.type === 'kept'
        ? { option, result: { ...result, type: 'dropped', reason: 'regression' } }
        : { option, result },
    ),
  }
}

const none: Regressions = { broken: [], suspect: [], runs: 0 }

async function findRegressions(
  { it }: TuneSession,
  { workload, baseline, incumbent }: Looping,
  { kept }: MeasuredCandidates,
  iteration: number,
): Promise<Regressions> {
  const { noise } = baseline
  if (kept === undefined || noise === undefined) return none
  return checkRegressions(it, workload, noise, { before: incumbent, after: kept, iteration })
}

const choices = [
  'accept tradeoff and continue',
  'try different hypothesis next',
  'stop and analyze',
] as const

/** Never reverted by itself, never silent. Undefined: nothing got worse. */
async function askAboutRegressions(
  session: TuneSession,
  { broken, suspect }: Regressions,
  iteration: number,
): Promise<(typeof choices)[number] | undefined> {
  if (broken.length + suspect.length === 0) return undefined
  const happened = [
    ...broken.map((id) => `${id} is broken by the change.`),
    ...suspect.map((id) => `${id} may be worse; its reruns did not decide it.`),
  ]
  const { regressions } = rulesOf(session.settings.mode, session.input.framing)
  // What may be worse is shown, not counted.
  const isRefused = regressions === 'refused' && broken.length > 0
  return askWhich<(typeof choices)[number]>(session, `regression ${iteration}`, {
    text: `The change of iteration ${iteration - 1} is a gain, and ${plural(broken.length, 'case')} are worse, ${suspect.length} may be. How to go on? "try different hypothesis next" drops the change.`,
    options: choices,
    default: 'accept tradeoff and continue',
    policy: isRefused ? 'try different hypothesis next' : 'accept tradeoff and continue',
    happened,
  })
}

function describeRun(
  next: Looping,
  made: MeasuredCandidates,
  {
    iteration,
    regressions,
    hypothesis,
  }: {
    readonly iteration: number
    readonly regressions: Regressions
    readonly hypothesis: Hypothesis
  },
): readonly LogEntry[] {
  const passing = tallyOf(next)
  const { options, flips, runs, infrastructure } = made
  const kept = options.find(({ result }) => result.type === 'kept')
  const what = `options ${options.map(({ option }) => option.id).join(', ')}`
  return [
    { type: 'experiment', iteration, what, runs: runs + regressions.runs, infrastructure },
    { type: 'critique', iteration, passing, failing: next.incumbent.critiques },
    {
      type: 'iteration-result',
      iteration,
      verdict: describeVerdict(made),
      passing,
      ...(kept === undefined ? {} : { kept: kept.option.id }),
      fixed: flips.fixed,
      regressed: flips.regressed,
      hypothesis: hypothesis.outcome,
    },
    {
      type: 'metrics',
      iteration,
      mean: meanScore(next.incumbent.scores),
      passing,
      gain: gainOf(next),
    },
  ]
}
