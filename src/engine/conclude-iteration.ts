/**
 * What the engine does at the end of an iteration, after the loop's code has returned:
 *
 *   every check has a result on the current files ─▶ a question about existing failures ─▶ progress
 *     ─▶ conditions ─▶ a question if objective triggers fire
 *     ─▶ if one means success: the work is committed, and certified or refused
 *     ─▶ if it is certified: the actions of the run, which can ask for more work ─▶ ending
 *
 * E5. The loop's claim that it is done only makes the engine verify it. All of this happens in steps, so
 * an iteration can be continued here as well (E2).
 */

import {
  answerBefore,
  type CheckResult,
  type Claim,
  defined,
  diff,
  type Ending,
  evolve,
  type Facts,
  type Findings,
  findMetCondition,
  type IterationEnded,
  type Json,
  listSupportingChecks,
  type Met,
  type Refusal,
  type RunState,
  toJson,
} from '../loop/index.ts'
import { type CertifyEnd, certifyWork } from './certify-work.ts'
import { escalate, escalateBeforeCertifying, measureIteration } from './escalate.ts'
import type { Branch, LiveRun } from './live-run.ts'
import { actWhenCertified } from './steps/act-when-certified.ts'
import { askAboutExisting } from './steps/ask-existing.ts'
import { isRecordedNext } from './steps/ask-step.ts'
import { takeAsFound } from './steps/perform-step.ts'
import type { RecordedStep } from './steps/recorded-steps.ts'
import { isTheSame, readAnswer, runCheck } from './steps/run-check.ts'
import { followBase } from './workspace/follow-base.ts'
import { keepWork } from './workspace/keep-work.ts'

export interface Ended {
  readonly event: IterationEnded
  /** The new progress, canonical; undefined if there is none. */
  readonly progress: Json | undefined
}

export async function concludeIteration(branch: Branch, result: unknown): Promise<Ended> {
  const { iteration } = branch
  const { run } = iteration
  const previous = run.recorder.state.progress
  const checks = await askAboutExisting(branch, await answersOf(branch))
  const measure = await measureIteration(iteration, checks)
  const endedWith = async (ending: Ending, refusals: readonly Refusal[]): Promise<Ended> => {
    const findings: Findings = { checks, refusals }
    // The code of some loops runs in another process.
    const made: unknown = await run.loop.extractProgress(result, previous, findings)
    const progress = made === undefined ? undefined : toJson(made)
    const patch = progress === undefined ? {} : { progress: diff(previous, progress) }
    const event = {
      type: 'iteration-ended',
      iteration: iteration.number,
      ending,
      ...patch,
      ...defined({ measure }),
    } as const
    return { event, progress }
  }
  const goesOn = await endedWith({ type: 'continue' }, [])
  const asked = { made: { progress: goesOn.progress, result }, incomplete: false }
  // Use the recorded condition if there is one: time has passed since, and the files may differ.
  const claim = nextRecorded(branch)?.started.claim ?? claimOf(run, goesOn.event, asked)
  // An agent that was stopped has not finished, whatever the checks say.
  if (claim === undefined || iteration.refusedFile !== undefined)
    return escalated(branch, goesOn, checks)
  const { met } = claim
  const complete: Ended = {
    ...goesOn,
    event: { ...goesOn.event, ending: { type: 'complete', met } },
  }
  if (met.ends !== 'completed') return escalated(branch, complete, checks)
  // The loop had it certified, or there is nothing to certify.
  if (met.byLoop !== undefined) return complete
  const approved = await escalateBeforeCertifying(branch, complete.event, checks, complete.progress)
  if (approved.escalated?.choice === 'terminate') return { ...complete, event: approved }
  const kept = await keepWork(iteration, claim.tree)
  const certification = kept === 'failed' ? notKept : await certifyWork(branch, claim, kept)
  const unmet = certification.type === 'certified' ? await actOrRework(branch) : certification
  if (unmet === undefined) return { ...complete, event: approved }
  // Not certified; another condition may still end the run.
  const ending: Ending =
    unmet.type === 'failed'
      ? { type: 'error', fault: unmet.fault, recoverable: true }
      : { type: 'continue' }
  const refused = await endedWith(ending, unmet.refusals)
  const other = evaluateUntil(run, refused.event, {
    made: { progress: refused.progress, result },
    incomplete: true,
  })
  const otherwise: Ending =
    ending.type === 'error' ? { ...ending, ...defined({ met: other }) } : toEnding(other)
  const event = {
    ...refused.event,
    ending: otherwise,
    ...defined({ escalated: approved.escalated }),
  }
  return approved.escalated === undefined
    ? escalated(branch, { ...refused, event }, checks)
    : { ...refused, event }
}

/** The actions of the run. Undefined: the run is complete. */
async function actOrRework(branch: Branch): Promise<Unmet | undefined> {
  const fault = await actWhenCertified(branch)
  if (fault === undefined) return undefined
  await followBase(branch.iteration, fault.rework)
  const { code, message } = fault
  return { type: 'refused', refusals: [{ code, message }] }
}

type Unmet = Exclude<CertifyEnd, { type: 'certified' }>

const toEnding = (met: Met | undefined): Ending =>
  met === undefined ? { type: 'continue' } : { type: 'complete', met }

async function escalated(
  branch: Branch,
  ended: Ended,
  checks: readonly CheckResult[],
): Promise<Ended> {
  return { ...ended, event: await escalate(branch, ended.event, checks, ended.progress) }
}

/** Work that could not be committed cannot be certified. */
const notKept: CertifyEnd = {
  type: 'refused',
  refusals: [
    {
      code: 'not-kept',
      message: 'The work could not be committed, so there is nothing to certify. See the warning.',
    },
  ],
}

/**
 * The result of every check on the files at the end of the iteration. A check with a result on exactly
 * these files is not run again; without a workspace, checks run in each iteration.
 */
async function answersOf(branch: Branch): Promise<readonly CheckResult[]> {
  const { iteration } = branch
  if (iteration.waited) await takeAsFound(iteration)
  const results: CheckResult[] = []
  for (const name of Object.keys(iteration.run.ports.checks ?? {})) {
    results.push((await knownAnswer(branch, name)) ?? (await runCheck(branch, name)))
  }
  return results
}

/** Undefined: it has to be run. During replay, the recorded result decides. */
async function knownAnswer(branch: Branch, name: string): Promise<CheckResult | undefined> {
  const { checked, run, number } = branch.iteration
  const { state } = run.recorder
  const next = nextRecorded(branch)
  if (isRecordedNext(branch, { kind: 'check', name })) return undefined
  const tree = next?.started.claim?.tree ?? next?.started.tree ?? state.tree
  const now = checked.get(name)
  if (now !== undefined && now.tree === tree) return now
  const kept = Object.hasOwn(state.answers, name) ? state.answers[name] : undefined
  const before = answerBefore(kept, tree, number)
  return isTheSame(before, run.ports.checks?.[name]) ? readAnswer(run, before) : undefined
}

const nextRecorded = (branch: Branch): RecordedStep | undefined => branch.recorded[branch.asked]

function claimOf(run: LiveRun, event: IterationEnded, asked: Asked): Claim | undefined {
  const met = evaluateUntil(run, event, asked)
  if (met === undefined) return undefined
  const { tree } = run.recorder.state
  const checks = listSupportingChecks(run.loop.until ?? [], factsAfter(run, event, asked))
  return { met, checks, ...defined({ tree }) }
}

type Asked = Pick<Facts, 'made' | 'incomplete'>

/** Conditions are evaluated against the state after the iteration. */
export function evaluateUntil(run: LiveRun, event: IterationEnded, asked: Asked): Met | undefined {
  const conditions = run.loop.until ?? []
  if (conditions.length === 0) return undefined
  return findMetCondition(conditions, factsAfter(run, event, asked))
}

function factsAfter(run: LiveRun, event: IterationEnded, asked: Asked): Facts {
  const { clock, checks } = run.ports
  const before = run.recorder.state
  const nowMs = clock.now()
  const known = asked.made?.progress as Json | undefined
  const state: RunState = evolve(
    before,
    { seq: before.seq + 1, atMs: run.recorder.now(), event },
    known === undefined ? undefined : () => known,
  )
  return { state, nowMs, checks: Object.keys(checks ?? {}), ...asked }
}
