/**
 * The exit codes, in one table. 0 means that the command did what was requested; a run that did not
 * complete never exits with 0. Rejections use the codes of `errorTable`, which follow sysexits.
 */

import { errorTable, type OutcomeType } from '../loop/index.ts'
import type { RunEnd } from './start/run-end.ts'

export const outcomeExitCodes: Readonly<Record<OutcomeType, number>> = {
  completed: 0,
  failed: 1,
  exhausted: 3,
  stuck: 4,
  stopped: 5,
  cancelled: 6,
  denied: 13,
}

/** Suspended; `loopctl resume` continues it. */
export const suspendedExitCode = 7
/** A replay that differs from the recorded run. */
export const divergedExitCode = 8
/** What `loopctl verify` found. */
export const verdictExitCodes: Readonly<
  Record<'valid' | 'invalid' | 'untrusted' | 'differs', number>
> = { valid: 0, invalid: 9, untrusted: 10, differs: 11 }
/** `loopctl certify` did not certify. */
export const notCertifiedExitCode = 12
/** The run completed, but an action of its last iteration failed, was refused or has an unknown result. */
export const notActedExitCode = 14
export const bugExitCode = 70
export const outputExitCode = 74
/** The code that shells report for a program ended by Ctrl-C. */
export const interruptedExitCode = 130

export function exitCodeOf(end: RunEnd, interrupted: boolean): number {
  if (end.type === 'ended') return outcomeExitCodes[end.outcome.type]
  return interrupted ? interruptedExitCode : suspendedExitCode
}

const meanings: readonly (readonly [number, string])[] = [
  [0, 'success; for a run: completed, its checks passed'],
  [outcomeExitCodes.failed, 'the run failed'],
  [outcomeExitCodes.exhausted, 'the run reached a limit: iterations, tokens, cost, time, deadline'],
  [outcomeExitCodes.denied, 'a policy denied the next iteration'],
  [outcomeExitCodes.stuck, 'the run is stuck: continuing would repeat what did not help'],
  [outcomeExitCodes.stopped, 'the run was stopped'],
  [outcomeExitCodes.cancelled, 'the run was cancelled'],
  [suspendedExitCode, 'the run is suspended or paused, and can be resumed'],
  [
    interruptedExitCode,
    'interrupted by Ctrl-C or a signal; the run continues in the daemon, or can be resumed',
  ],
  [divergedExitCode, 'the replay differs from the recorded run'],
  [verdictExitCodes.invalid, 'the certificate is invalid'],
  [verdictExitCodes.untrusted, 'the certificate was signed by a key that is not trusted here'],
  [verdictExitCodes.differs, 'the certificate certifies other files'],
  [notCertifiedExitCode, 'not certified; the reason is printed'],
  [
    notActedExitCode,
    'the run completed, but one of its actions failed, was refused, or has an unknown result',
  ],
  [64, 'usage error: an argument, a name or an answer'],
  [65, 'invalid file: a loop file, a template, a checkpoint'],
  [66, 'there is no such run, checkpoint, question, artifact, file or fact'],
  [69, 'not available'],
  [bugExitCode, 'internal error of loopctl'],
  [73, 'not possible in this state: the run has ended, the name is taken'],
  [outputExitCode, 'the state folder or the output cannot be read or written'],
  [75, 'busy: another process drives the run, or a daemon is already running; try again'],
  [77, 'the loop file is not trusted, or the token does not allow this'],
  [
    78,
    'the configuration is wrong or incomplete, the preflight found a problem, or the code of the loop changed',
  ],
]

/** Every exit code has a line; a test compares it with the tables. */
export const exitCodes: ReadonlyMap<number, string> = new Map(meanings)

export const usedExitCodes: readonly number[] = [
  ...Object.values(outcomeExitCodes),
  ...Object.values(errorTable).map(({ exitCode }) => exitCode),
  suspendedExitCode,
  divergedExitCode,
  ...Object.values(verdictExitCodes),
  notCertifiedExitCode,
  notActedExitCode,
  bugExitCode,
  outputExitCode,
  interruptedExitCode,
]

export const renderExitCodes = (): string =>
  meanings.map(([code, meaning]) => `${String(code).padStart(5)}  ${meaning}`).join('\n')
