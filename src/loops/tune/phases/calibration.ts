/**
 * Phase 3: one case through the whole pipeline, before anything is spent on all of them. Three attempts; the manifest may be
 * changed between them. Nothing is iterated that was not calibrated.
 */

import { type CaseResult, runCase } from '../measure/run-case.ts'
import { leavePhase, openPhase } from '../phase-proofs.ts'
import { askWhich } from '../questions.ts'
import { note } from '../report/note.ts'
import type { TuneSession } from '../tune-session.ts'
import type { CalibrationFailure, TuneState } from '../tune-state.ts'
import { openWorkload } from '../workload/open-workload.ts'
import { suiteCases } from '../workload/workload.ts'

type Calibrating = Extract<TuneState, { phase: 'calibration' }>

export const attemptsMax = 3

export async function calibrate(session: TuneSession, state: Calibrating): Promise<TuneState> {
  const { it } = session
  const { workload, attempts } = state
  const attempt = attempts.length + 1
  const [first] = suiteCases(workload)
  if (first === undefined) return { phase: 'aborted', reason: 'there is no case', log: state.log }
  const { workloadId } = workload.manifest
  await openPhase(
    it,
    'calibration',
    `Calibrating the pipeline of ${workloadId} with one case: ${first.id} (attempt ${attempt} of ${attemptsMax}).`,
  )
  const run = { case: first, repeat: repeatsFrom + attempt }
  const result = await runCase(it, workload, run, { version: workload.original, reuse: false })
  const failure = toFailure(result)
  if (failure !== undefined) return afterFailure(session, state, { case: first.id, failure })
  const passed = await note(it, [{ type: 'calibration-passed', case: first.id, attempt }])
  await leavePhase(it, 'calibration', {
    testFixture: first.id,
    pipelineResult: 'passed',
    manifestSaved: workload.manifestPath,
    calibrationLogged: 'yes',
  })
  return {
    phase: 'baseline',
    workload,
    mode: state.mode,
    calibration: { case: first.id, attempt },
    log: [...state.log, ...passed],
  }
}

/** Repeats of different phases are different runs, also for results that are reused. */
const repeatsFrom = 50_000

/** A case that fails its judge is fine: it is what the loop is for. */
function toFailure(result: CaseResult): CalibrationFailure | undefined {
  const { text: reason } = result
  if (result.type === 'unscored') return { at: result.at, reason }
  return result.failedAt === undefined ? undefined : { at: result.failedAt, reason }
}

async function afterFailure(
  session: TuneSession,
  state: Calibrating,
  failed: { readonly case: string; readonly failure: CalibrationFailure },
): Promise<TuneState> {
  const { it } = session
  const attempts = [...state.attempts, failed]
  const attempt = attempts.length
  const log = [
    ...state.log,
    ...(await note(it, [{ type: 'calibration-failed', attempt, ...failed }])),
  ]
  const { at, reason } = failed.failure
  const path = state.workload.manifestPath
  const what = `${at} failed for ${failed.case}: ${reason}`
  if (attempt >= attemptsMax) {
    const tried = attempts.map(({ failure }) => `${failure.at}: ${failure.reason}`).join('; ')
    return {
      phase: 'aborted',
      reason: `calibration failed ${attemptsMax} times (${tried}). Fix ${path} and run it again`,
      log,
    }
  }
  const answer = await askWhich(session, 'calibration failed', {
    text: `Calibration failed: ${what}. What would you like to do? Change ${path} first, then retry.`,
    options: ['retry', 'stop'],
    default: 'stop',
    policy: 'stop',
    happened: [what],
  })
  if (answer === 'stop') {
    return {
      phase: 'aborted',
      reason: `calibration failed: ${what}. Fix ${path} and run it again`,
      log,
    }
  }
  const text = await it.step('manifest', async () => (await it.workspace?.read(path)) ?? '', {
    readOnly: true,
  })
  const workload = await openWorkload(session, { path, text })
  return { phase: 'calibration', workload, mode: state.mode, attempts, log }
}
