/**
 * Phase 5: one trip of the cycle.
 *
 *   hypothesize ─▶ run ─▶ review ─▶ (converged?) ─▶ analyze ─▶ decide ─▶ edit
 *
 * The run measures the edit of the trip before: the edit is the experiment, the next run is the measurement. The first trip has
 * none, and begins with what the baseline found. Each edit gets fresh critiques of its own outputs.
 */

import { plural } from '../../../loop/excerpt/plural.ts'
import { rulesOf, targetCases } from '../modes.ts'
import { leavePhase, openPhase } from '../phase-proofs.ts'
import { askWhich } from '../questions.ts'
import { note } from '../report/note.ts'
import { decideConvergence, type IterationOutcome } from '../statistics/convergence.ts'
import type { TuneSession } from '../tune-session.ts'
import type { ExitReason, IterationRecord, TuneState } from '../tune-state.ts'
import { canAffordTrip } from './budget.ts'
import { chooseEdit } from './choose-edit.ts'
import { leaveCycle } from './leave-cycle.ts'
import { measureEdit } from './measure-edit.ts'
import type { Trip } from './trip.ts'

type Iterating = Extract<TuneState, { phase: 'iteration' }>

export async function iterate(session: TuneSession, state: Iterating): Promise<TuneState> {
  const { phase: _phase, log, ...looping } = state
  const iteration = state.trail.length + 1
  const { workloadId, maxIterations } = state.workload.manifest
  await openPhase(
    session.it,
    'iteration',
    `Iteration ${iteration} of ${workloadId} (at most ${maxIterations} changes): hypothesize, run, review, analyze, decide, edit.`,
  )
  const measured = await measureEdit(session, looping, { iteration, log })
  const found =
    measured.exit ??
    (await findExit(session, measured)) ??
    (await findBudgetExit(session, measured))
  const goesOn =
    found === undefined || (await leaveCycle(session, measured.looping, { iteration, exit: found }))
  const { exit: _exit, ...going } = measured
  const trip: Trip = goesOn ? await chooseEdit(session, going) : { ...measured, exit: found }
  // Who said stop is not asked again.
  if (goesOn && trip.exit !== undefined && trip.exit !== 'stopped') {
    await leaveCycle(session, trip.looping, { iteration, exit: trip.exit })
  }
  const trail = [...trip.looping.trail, trip.record]
  const { exit: ends } = trip
  const completed = await note(session.it, [
    { type: 'iteration-complete', iteration, ...(ends === undefined ? {} : { exit: ends }) },
  ])
  const ended = [...trip.log, ...completed]
  const next = { ...trip.looping, trail, log: ended }
  if (ends === undefined) return { ...next, phase: 'iteration' }
  await leavePhase(session.it, 'iteration', {
    iterationsCompleted: `${trail.length}`,
    logEntries: `${ended.length}`,
    exitCondition: ends,
  })
  return { ...next, phase: 'synthesis', exit: ends }
}

async function findBudgetExit(
  session: TuneSession,
  { looping, log }: Trip,
): Promise<ExitReason | undefined> {
  return (await canAffordTrip(session, looping, log)) ? undefined : 'budget'
}

async function findExit(
  session: TuneSession,
  { looping, record }: Trip,
): Promise<ExitReason | undefined> {
  const target = targetCases(rulesOf(looping.mode, session.input.framing), looping.workload.split)
  const passes = new Set(looping.incumbent.passing)
  const passing = target.filter((id) => passes.has(id)).length
  const trail = [...looping.trail, record]
  const convergence = decideConvergence({
    // The first trip measures nothing.
    outcomes: trail.slice((looping.carriedIterations ?? 0) + 1).map(toOutcome),
    iterationsMax: looping.workload.manifest.maxIterations,
    isAllPassing: passing >= (looping.plan?.criteria.target ?? 1) * target.length,
  })
  if (convergence.type === 'continue') return undefined
  if (convergence.type === 'stop') {
    return convergence.reason === 'all-pass' ? 'converged' : 'max-iterations'
  }
  const { question, iterations, default: usual } = convergence
  const answer = await askWhich(session, `${question} ${record.iteration}`, {
    text:
      question === 'plateau'
        ? `No change was kept in the last ${plural(iterations, 'iteration')}. Continue with a different approach, or accept the current state?`
        : `After ${plural(iterations, 'iteration')} the result is below the baseline. Continue, or stop?`,
    options: ['continue', 'stop'],
    default: usual,
    policy: usual,
    happened: [],
  })
  return answer === 'stop' ? question : undefined
}

const toOutcome = ({ measured, best }: IterationRecord): IterationOutcome => ({
  kept: measured?.options.some(({ result }) => result.type === 'kept') === true,
  measured: measured !== undefined && measured.options.length > 0,
  net: best.gain?.delta ?? 0,
})
