/**
 * What each command check answered before the run began: on the base, in the same kind of clean checkout. It
 * certifies nothing, so it is kept for the next time, by everything that the answer depends on.
 */

import { type CheckStatus, defined, type TreeId } from '../../loop/index.ts'
import type { Observation, RunnerReport } from '../observe/observation.ts'
import type { CertifyingPlace, Layer, OpenCheck } from '../parts.ts'
import { digestOf } from './digest.ts'
import { type RunRequest, runChecks } from './run-checks.ts'

export interface BaseAnswer extends Omit<RunnerReport, 'problems'> {
  readonly status: CheckStatus
  /** Codes of what made the report unreliable. */
  readonly problems: readonly string[]
  readonly read?: readonly string[]
  readonly written?: readonly string[]
  /** Identifies a failure where there are no ids of tests. */
  readonly signature: string
  readonly durationMs: number
  /** Why it could not run, and what to do. Never kept: it may run the next time. */
  readonly cannotRun?: string
}

/** Kept by key. What cannot be read is missing. */
export interface BaseAnswers {
  read(key: string): Promise<BaseAnswer | undefined>
  write(key: string, answer: BaseAnswer): Promise<void>
}

/** Of all that an answer depends on: after a change to any of it, an earlier answer says nothing. */
export const baseAnswerKey = (
  base: TreeId,
  check: Pick<OpenCheck, 'name' | 'describes' | 'toolDigest' | 'surroundings'>,
  layer: Layer,
): string =>
  digestOf(
    [
      'observed 2',
      base,
      check.name,
      ...check.describes,
      check.toolDigest,
      layer.digest,
      check.surroundings ?? '',
    ].join('\0'),
  )

/** Only of commands: what a judge said of another tree says nothing of this one. */
export async function baseAnswerOf(
  base: TreeId,
  check: OpenCheck,
  place: CertifyingPlace,
  run: Pick<RunRequest, 'context' | 'now'>,
  kept: BaseAnswers,
): Promise<BaseAnswer | undefined> {
  if (check.kind !== 'command') return undefined
  const key = baseAnswerKey(base, check, place.layer)
  const known = await kept.read(key)
  if (known !== undefined) return known
  const answer = await askBase(base, check, place, run)
  if (answer === undefined) return undefined
  // A run that was cut short says nothing about the next time.
  if (answer.status === 'met' || answer.status === 'not-met') await kept.write(key, answer)
  return answer
}

/** Runs the check on the base, whatever is kept. */
export async function askBase(
  base: TreeId,
  check: OpenCheck,
  place: CertifyingPlace,
  run: Pick<RunRequest, 'context' | 'now'>,
): Promise<BaseAnswer | undefined> {
  const at = place.checks.indexOf(check)
  // With what the checks before it make for it.
  const makers = place.checks.slice(0, Math.max(0, at)).filter(({ outputs }) => outputs.length > 0)
  const all = await runChecks({ ...run, place, tree: base }, [...makers, check])
  const ran = all.at(-1)
  return ran === undefined ? undefined : baseAnswerFrom(ran.observation)
}

export function baseAnswerFrom(observation: Observation): BaseAnswer {
  const { result, tests, runners, problems, replaced, read, written } = observation
  const { status, output, cannotRun } = result
  return {
    status,
    runners,
    replaced,
    problems: problems.map(({ code }) => code),
    signature: signatureOf(output),
    durationMs: Math.max(0, observation.endedAtMs - observation.startedAtMs),
    ...defined({ tests, read, written, cannotRun }),
  }
}

/** Times, process ids and temporary names differ from one run to the next. */
export const signatureOf = (output: string): string =>
  digestOf(
    output
      .replaceAll(/\d+(?:\.\d+)?/g, '#')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )

/** It fails as it did on the base, and nothing else fails. */
export function isNoWorse(
  now: Pick<Observation, 'tests'> & { readonly output: string },
  base: BaseAnswer,
): boolean {
  if (base.status !== 'not-met') return false
  if (now.tests !== undefined && base.tests !== undefined) {
    const before = new Map(base.tests.map(({ id, status }) => [id, status]))
    const after = new Map(now.tests.map(({ id, status }) => [id, status]))
    const isBroken = now.tests.some(
      ({ id, status }) => status === 'failed' && before.get(id) !== 'failed',
    )
    const isGone = base.tests.some(({ id, status }) => status === 'passed' && !after.has(id))
    return !isBroken && !isGone
  }
  return signatureOf(now.output) === base.signature
}
