/** The end of an iteration: the checks, and the watchdog. */

import { type CheckResult, defined } from '../../loop/index.ts'
import { type BuildResult, toNote } from './build-progress.ts'
import { filesOf, type Session } from './build-session.ts'
import type { Implemented } from './implement.ts'
import { measure } from './knowledge.ts'
import { countTasks, isComplete, reopenTask, type SealedPlan } from './sealed-plan.ts'
import { watch } from './watchdog.ts'

export interface WorkToVerify {
  readonly task: number | undefined
  readonly plan: SealedPlan
  readonly made: Implemented | undefined
  /** The task is done or blocked, if the checks agree. */
  readonly isMarked: boolean
}

export async function verify(
  session: Session,
  { task, plan, made, isMarked }: WorkToVerify,
): Promise<Pick<BuildResult, 'failed' | 'met' | 'watchdog' | 'measurement'>> {
  const { it, progress } = session
  const measurement = made === undefined ? undefined : await measure(session)
  const checks = await it.check()
  const counting = checks.filter((check) => isFailure(session, plan, check))
  const met = checks.filter(({ status }) => status === 'met').map(({ check }) => check)
  const failed = counting.map(toNote)
  if (failed.length > 0 && task !== undefined) await reopen(session, plan, task)
  const found = { failed, met, ...defined({ measurement }) }
  if (made === undefined || session.settings.watchdog === false) {
    return { ...found, watchdog: progress.watchdog }
  }
  // The tree that was checked, also when the iteration is resumed.
  const after = checks.at(-1)?.tree ?? it.workspace?.tree
  const { before, report } = made
  const settled = isMarked && failed.length === 0
  const isChanged = before !== after
  if (isChanged) await readChanges(session, made)
  const patch = isChanged && !settled ? await readPatch(session, made) : ''
  const { signal, next } = watch(
    progress.watchdog,
    {
      task: task ?? null,
      settled,
      verificationFailed: failed.length > 0,
      checksImproved: met.some((check) => isImproved(session, check)),
      before,
      after,
      report: report.text,
      patch,
      hint: made.hint,
      ...defined({ ended: report.ended }),
    },
    session.settings.watchdog.rewrites,
  )
  if (next.intervention !== undefined || next.failed !== undefined) {
    await it.step('watchdog', () => ({ signal: signal ?? null, ...describe(next, made) }), {
      readOnly: true,
      role: 'watchdog',
    })
  }
  return { ...found, watchdog: next }
}

/** With the whole prompt as the next iteration would get it now. */
const describe = (
  { intervention, failed }: BuildResult['watchdog'],
  { prompt }: Implemented,
): { readonly [name: string]: string | number } =>
  intervention === undefined
    ? { failed: failed ?? '' }
    : { rewrite: intervention.number, prompt: `${intervention.text}\n\n${prompt}` }

/**
 * Records the counts without the task. Its mark in the file follows in the next iteration: a file that changed now
 * would have to be checked once more.
 */
const reopen = (session: Session, plan: SealedPlan, task: number): Promise<unknown> =>
  session.it.step('reopen', () => countTasks(reopenTask(plan, task), session.isReviewed), {
    readOnly: true,
    role: 'plan',
  })

/**
 * A failure that the base had does not fail a task while other tasks are left, unless the run had already fixed it. The
 * last task needs all checks.
 */
function isFailure(
  { it, progress, isReviewed }: Session,
  plan: SealedPlan,
  { check, status, allowed }: CheckResult,
): boolean {
  if (status === 'met' || status === 'skipped' || allowed === true) return false
  const isOld = it.failedBefore?.includes(check) === true && !progress.met.includes(check)
  return !isOld || isComplete(plan, isReviewed)
}

/** It failed in the last iteration, or never passed before. */
function isImproved({ it, progress }: Session, check: string): boolean {
  if (progress.notes.some((note) => note.check === check)) return true
  const isFirst = progress.entries.length === 0
  if (isFirst) return it.failedBefore?.includes(check) === true
  return !progress.met.includes(check)
}

/** For people. The run must not fail because of it. */
const readChanges = (session: Session, { before }: Implemented): Promise<unknown> =>
  session.it.step(
    'changes',
    () =>
      filesOf(session)
        .changedSince(before)
        .catch(() => null),
    { readOnly: true, role: 'changes' },
  )

const readPatch = (session: Session, { before }: Implemented): Promise<string> =>
  session.it.step(
    'patch',
    async () => (await filesOf(session).patchSince(before)).slice(0, patchCharsMax),
    { readOnly: true, role: 'patch' },
  )

const patchCharsMax = 40_000
