/**
 * When a run asks a person instead of continuing without progress. Only measured triggers count, never what an agent
 * reports. Pure functions over the state after an iteration; several triggers at once make one question.
 */

import type { Ending, Met } from '../event.ts'
import { plural } from '../excerpt/plural.ts'
import type { Fault } from '../fault.ts'
import type { RunState } from '../state.ts'
import type { Attempts, TriggerName } from './attempts.ts'

/** A trigger fires when its counter reaches the threshold. */
export interface EscalationThresholds {
  readonly sameErrors: number
  readonly verifications: number
  readonly withoutChange: number
  readonly testRuns: number
  /** The run asks if more files than this were changed. */
  readonly files: number
  /** What they are counted from: the base of the run, or the start of the iteration. */
  readonly filesPer: 'run' | 'iteration'
}

export const defaultThresholds: EscalationThresholds = {
  sameErrors: 3,
  verifications: 10,
  withoutChange: 5,
  testRuns: 3,
  files: 20,
  filesPer: 'run',
}

/** The error of a tool call that would have changed one file too many. The agent stops there. */
export const tooManyFiles = 'too-many-files'

/** Why a run cannot continue without help. */
export type Blocker = 'missing dependency' | 'permission denied' | 'API unavailable'

export interface Trigger {
  readonly name: TriggerName
  /** What happened, for people. */
  readonly happened: string
}

/** The triggers that fire after an iteration with this ending. `state`: after the ending; `stuck`: why the run would end. */
export function findTriggers(
  state: Pick<RunState, 'attempts' | 'errors'>,
  ending: Ending,
  limits: EscalationThresholds & { readonly stuck?: Met | undefined } = defaultThresholds,
): readonly Trigger[] {
  const { attempts } = state
  const { stuck, ...thresholds } = limits
  const found = [
    ...blockerTriggers(attempts, ending),
    ...errorTriggers(state, ending, thresholds),
    ...counterTriggers(attempts, thresholds),
    ...fileTriggers(attempts, thresholds),
    ...stuckTriggers(stuck),
  ]
  return found.filter(({ name }) => !attempts.ignored.includes(name))
}

/** The triggers that concern work which would be certified now: what was changed, not how long it took. */
export const findFileTriggers = (
  attempts: Attempts,
  thresholds: EscalationThresholds = defaultThresholds,
): readonly Trigger[] =>
  fileTriggers(attempts, thresholds).filter(({ name }) => !attempts.ignored.includes(name))

function errorTriggers(
  { errors }: Pick<RunState, 'errors'>,
  ending: Ending,
  { sameErrors }: EscalationThresholds,
): readonly Trigger[] {
  if (ending.type !== 'error' || errors.times < sameErrors) return []
  const happened = `The same error ended ${plural(errors.times, 'iteration')} in a row: ${errors.signature}`
  return [{ name: 'same-error', happened }]
}

function counterTriggers(attempts: Attempts, thresholds: EscalationThresholds): readonly Trigger[] {
  const { verifications, withoutChange, testRuns } = attempts
  const rows: readonly (readonly [TriggerName, number, number, string])[] = [
    [
      'verification-attempts',
      verifications,
      thresholds.verifications,
      'verifications of the work failed without any progress.',
    ],
    ['no-file-change', withoutChange, thresholds.withoutChange, 'iterations changed no file.'],
    ['no-improvement', testRuns, thresholds.testRuns, 'test runs showed no improvement.'],
  ]
  return rows.flatMap(([name, count, from, what]) =>
    count >= from ? [{ name, happened: `${count} ${what}` }] : [],
  )
}

const shownMax = 5

function fileTriggers(
  attempts: Attempts,
  { files: max }: EscalationThresholds,
): readonly Trigger[] {
  const { last, approvedPaths } = attempts
  const outside = (last?.outside ?? []).filter((path) => !approvedPaths.includes(path))
  const more = outside.length > shownMax ? ` and ${outside.length - shownMax} more` : ''
  return [
    ...countTriggers(attempts, max),
    ...(outside.length > 0
      ? [
          {
            name: 'outside-scope',
            happened: `Files outside the scope were changed: ${outside.slice(0, shownMax).join(', ')}${more}`,
          } as const,
        ]
      : []),
  ]
}

/** How many changed files need no approval: in the run, or in the open iteration. */
export const allowedFiles = (
  { approvedFiles }: Pick<Attempts, 'approvedFiles'>,
  { files, filesPer }: Pick<EscalationThresholds, 'files' | 'filesPer'>,
): number => (filesPer === 'run' ? files + approvedFiles : files)

function countTriggers({ last, approvedFiles }: Attempts, max: number): readonly Trigger[] {
  const { files = 0, filesPer = 'run', refusedFile } = last ?? {}
  const allowed = allowedFiles({ approvedFiles }, { files: max, filesPer })
  const who = filesPer === 'run' ? 'The run' : 'The iteration'
  const limit = `without approval it may change ${allowed}`
  if (files > allowed)
    return [{ name: tooManyFiles, happened: `${who} changed ${plural(files, 'file')}; ${limit}.` }]
  if (refusedFile === undefined) return []
  const happened = `${who} changed ${plural(files, 'file')}, and its agent wants to change ${refusedFile} as well; ${limit}.`
  return [{ name: tooManyFiles, happened }]
}

function blockerTriggers({ last }: Attempts, ending: Ending): readonly Trigger[] {
  if (ending.type === 'error') {
    const blocker = findBlocker(ending.fault)
    if (blocker === undefined) return []
    return [{ name: 'external-blocker', happened: `${capital(blocker)}: ${ending.fault.message}` }]
  }
  if (last?.cannotRun === undefined || ending.type === 'complete') return []
  const happened = `Missing dependency: a check cannot run (${last.cannotRun})`
  return [{ name: 'external-blocker', happened }]
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** The run would end as stuck. */
function stuckTriggers(met: Met | undefined): readonly Trigger[] {
  if (met === undefined) return []
  const detail = met.detail === undefined ? '' : `: ${met.detail}`
  return [{ name: 'stuck', happened: `The run would end as stuck, by ${met.condition}${detail}` }]
}

const blockers: Readonly<Record<string, Blocker>> = {
  'dependencies-failed': 'missing dependency',
  'cannot-run': 'missing dependency',
  'agent-not-started': 'missing dependency',
  ENOENT: 'missing dependency',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  'provider-denied': 'permission denied',
  'login-required': 'permission denied',
  'provider-failed': 'API unavailable',
  ECONNREFUSED: 'API unavailable',
  ECONNRESET: 'API unavailable',
  EHOSTUNREACH: 'API unavailable',
  ENETUNREACH: 'API unavailable',
  ENOTFOUND: 'API unavailable',
  ETIMEDOUT: 'API unavailable',
}

/** By the code of the fault alone: the text of an error proves nothing. */
export const findBlocker = ({ code }: Pick<Fault, 'code'>): Blocker | undefined =>
  Object.hasOwn(blockers, code) ? blockers[code] : undefined
