/** What the setup finds, however a loop begins: with a manifest, after an interrogation, or from the log of an earlier loop. */

import { FaultError } from '../../../loop/index.ts'
import type { CapturedText } from '../captured-text.ts'
import { leavePhase } from '../phase-proofs.ts'
import { applyPlan } from '../plan/apply-plan.ts'
import { parsePlan } from '../plan/parse-plan.ts'
import type { Plan } from '../plan/plan.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note } from '../report/note.ts'
import type { TuneInput, TuneSession } from '../tune-session.ts'
import type { SetUp, TuneState } from '../tune-state.ts'
import { openWorkload } from '../workload/open-workload.ts'

export const leaveSetup = (
  { it, settings, input }: TuneSession,
  manifest: string,
  routing: string,
): Promise<void> =>
  leavePhase(it, 'setup', {
    mode: settings.mode,
    session: settings.ports?.run ?? settings.name,
    manifest,
    flags: describeFlags(input, settings.pick),
    routing,
  })

function describeFlags(input: TuneInput, pick: string): string {
  const { cases, plan, log, request, answers } = input
  const files = Object.entries({ plan, log, request, answers }).flatMap(([name, file]) =>
    file === undefined ? [] : [`${name} ${file.path}`],
  )
  return [`pick ${pick}`, ...files, ...cases.map((one) => `case ${one}`)].join(', ')
}

export interface Beginning {
  readonly to: 'planning' | 'calibration'
  readonly topics: SetUp['topics']
  readonly unsaved: readonly CapturedText[]
  readonly log: readonly LogEntry[]
}

/** The first phase that knows the workload. */
export async function beginWith(
  session: TuneSession,
  manifest: CapturedText,
  { to, topics, unsaved, log }: Beginning,
): Promise<TuneState> {
  const setUpState = await openSetUp(session, manifest, { topics, unsaved })
  await note(session.it, [toStarted(session, setUpState)])
  const { plan } = session.input
  if (to === 'planning') return { ...setUpState, phase: 'planning', log }
  if (plan === undefined) return { ...setUpState, phase: 'calibration', attempts: [], log }
  const planned = withPlan(setUpState, requirePlan(plan))
  return { ...planned, phase: 'calibration', attempts: [], log }
}

export async function openSetUp(
  session: TuneSession,
  manifest: CapturedText,
  { topics, unsaved }: Pick<SetUp, 'topics' | 'unsaved'>,
): Promise<SetUp> {
  const { it, settings } = session
  const workload = await openWorkload(session, manifest)
  const { blob } = await it.artifact('manifest', manifest.text)
  return {
    workload,
    mode: settings.mode,
    manifestDigest: blob,
    passes: [],
    documents: [],
    topics,
    unsaved,
  }
}

export const toStarted = (
  { settings, input }: TuneSession,
  { workload, manifestDigest }: SetUp,
): LogEntry => ({
  type: 'session-started',
  workload: workload.manifest.workloadId,
  manifest: workload.manifestPath,
  manifestDigest,
  mode: settings.mode,
  cases: input.cases,
})

export function withPlan(setUpState: SetUp, plan: Plan): SetUp {
  const workload = applyPlan(setUpState.workload, plan)
  if (typeof workload === 'string') throw badPlan(workload)
  return { ...setUpState, workload, plan }
}

export function requirePlan({ path, text }: CapturedText): Plan {
  const plan = parsePlan(text)
  if (typeof plan === 'string') throw badPlan(`${path}: ${plan}`)
  return plan
}

const badPlan = (problem: string): FaultError =>
  new FaultError({
    code: 'bad-plan',
    message: `The plan cannot be used: ${problem}. Correct it, then run the loop again.`,
    retryable: false,
    fatal: true,
  })
