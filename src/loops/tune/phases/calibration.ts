/**
 * Phase 3: one case through the whole pipeline, before anything is spent on all of them. Three attempts; the manifest may be
 * changed between them. Nothing is iterated that was not calibrated.
 */

import { passGate } from '../gates.ts'
import { type CaseResult, runCase } from '../measure/run-case.ts'
import { leavePhase, openPhase } from '../phase-proofs.ts'
import { askWhich } from '../questions.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note } from '../report/note.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Attempt, CalibrationFailure, TuneState } from '../tune-state.ts'
import { suiteCases } from '../workload/workload.ts'
import { openSetUp, withPlan } from './open-setup.ts'
import { saveFiles } from './save-files.ts'

type Calibrating = Extract<TuneState, { phase: 'calibration' }>

export const attemptsMax = 3

export async function calibrate(session: TuneSession, state: Calibrating): Promise<TuneState> {
  const { it } = session
  const { workload, attempts, manifestDigest } = state
  const attempt = attempts.length + 1
  const [first] = suiteCases(workload)
  if (first === undefined) return { phase: 'aborted', reason: 'there is no case', log: state.log }
  const { workloadId } = workload.manifest
  await openPhase(
    it,
    'calibration',
    `Calibrating pipeline with single fixture for ${workloadId} workload. Running calibration with case: ${first.id} (attempt ${attempt} of ${attemptsMax}).`,
  )
  const run = { case: first, repeat: repeatsFrom + attempt }
  const result = await runCase(it, workload, run, { version: workload.original, reuse: false })
  const failure = toFailure(result)
  if (failure !== undefined) return afterFailure(session, state, { case: first.id, failure })
  const passed = await note(it, [
    { type: 'calibration-passed', case: first.id, attempt, manifestDigest },
  ])
  const log = [...state.log, ...passed]
  const saved = await saveFiles(session, state)
  if (typeof saved === 'string') return { phase: 'aborted', reason: saved, log }
  const gate = await passGate(session, {
    from: 'calibration',
    text: `Calibration of ${workloadId} passed with ${first.id}. How to proceed?`,
    choices: [
      { label: 'proceed to baseline', to: 'baseline' },
      { label: 'back to planning', to: 'planning' },
    ],
  })
  const { phase: _phase, attempts: _attempts, ...setUp } = { ...state, ...saved }
  const known = { ...setUp, passes: [...new Set([...setUp.passes, setUp.manifestDigest])], log }
  if (gate.to === 'planning') return { ...known, phase: 'planning' }
  await leavePhase(it, 'calibration', {
    testFixture: first.id,
    pipelineResult: 'passed',
    manifestSaved: setUp.workload.manifestPath,
    calibrationLogged: `${passed.length} entry`,
  })
  return { ...known, phase: 'baseline', calibration: { case: first.id, attempt } }
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
  failed: Attempt,
): Promise<TuneState> {
  const attempts = [...state.attempts, failed]
  const attempt = attempts.length
  const entries = await note(session.it, [{ type: 'calibration-failed', attempt, ...failed }])
  const log = [...state.log, ...entries]
  const { at, reason } = failed.failure
  const path = state.workload.manifestPath
  const what = `${at} failed for ${failed.case}: ${reason}`
  const advice = `Please fix the manifest manually and re-run with --manifest ${path}`
  if (attempt >= attemptsMax) {
    const tried = attempts.map(
      ({ failure }, number) => `attempt ${number + 1}: ${failure.at}: ${failure.reason}`,
    )
    const summary = `calibration failed ${attemptsMax} times (${tried.join('; ')})`
    return { phase: 'aborted', reason: `${summary}. ${advice}`, log }
  }
  const answer = await askWhich(session, `calibration failed ${attempt}`, {
    text: `Calibration failed: ${what}. What would you like to fix? Change ${path} first, then retry.`,
    options: ['retry', 'stop'],
    default: 'stop',
    policy: 'stop',
    happened: [what],
  })
  if (answer === 'stop') {
    return { phase: 'aborted', reason: `calibration failed: ${what}. ${advice}`, log }
  }
  return retry(session, state, attempts, log)
}

/** With the manifest as it is in its file now. */
async function retry(
  session: TuneSession,
  state: Calibrating,
  attempts: readonly Attempt[],
  log: readonly LogEntry[],
): Promise<TuneState> {
  const { it } = session
  const path = state.workload.manifestPath
  const found = await it.step('manifest', async () => (await it.workspace?.read(path)) ?? '', {
    readOnly: true,
  })
  // One that was made by the interrogation is not a file yet.
  const text = found === '' ? (state.unsaved.find((one) => one.path === path)?.text ?? '') : found
  const { topics, unsaved, passes, documents, plan } = state
  const opened = await openSetUp(session, { path, text }, { topics, unsaved })
  const known = { ...opened, passes, documents }
  const planned = plan === undefined ? known : withPlan(known, plan)
  return { ...planned, phase: 'calibration', attempts, log }
}
