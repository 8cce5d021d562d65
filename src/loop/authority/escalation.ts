/**
 * When a run asks a person instead of continuing without progress. Only measured triggers count, never what an agent
 * reports. Pure functions over the state after an iteration; several triggers at once make one question.
 */

import type { Ending, Met } from '../event.ts'
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
}

export const defaultThresholds: EscalationThresholds = {
  sameErrors: 3,
  verifications: 10,
  withoutChange: 5,
  testRuns: 3,
  files: 20,
}

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
  const happened = `The same error ended ${errors.times} iterations in a row: ${errors.signature}`
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
  const { last, approvedFiles, approvedPaths } = attempts
  const files = last?.files ?? 0
  const outside = (last?.outside ?? []).filter((path) => !approvedPaths.includes(path))
  const more = outside.length > shownMax ? ` and ${outside.length - shownMax} more` : ''
  return [
    ...(files > max + approvedFiles
      ? [
          {
            name: 'too-many-files',
            happened: `The run changed ${files} files; without approval it may change ${max + approvedFiles}.`,
          } as const,
        ]
      : []),
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
