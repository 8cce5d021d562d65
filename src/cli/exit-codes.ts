/**
 * What the exit code says. One table: 0 only when what was asked for is done; a run that is not
 * complete is never 0. Rejections keep the codes of `errorTable`, which follow sysexits.
 */

import type { DriveEnd } from '../host/index.ts'
import { errorTable, type OutcomeType } from '../loop/index.ts'

export const outcomeExitCodes: Readonly<Record<OutcomeType, number>> = {
  completed: 0,
  failed: 1,
  exhausted: 3,
  stuck: 4,
  stopped: 5,
  cancelled: 6,
}

/** Left before its end; `loopctl resume` goes on. */
export const suspendedExitCode = 7
/** A replay that is not the same as its record. */
export const divergedExitCode = 8
/** What `loopctl verify` found. */
export const verdictExitCodes: Readonly<
  Record<'valid' | 'invalid' | 'untrusted' | 'differs', number>
> = { valid: 0, invalid: 9, untrusted: 10, differs: 11 }
/** What `loopctl certify` was asked to certify is not. */
export const notCertifiedExitCode = 12
export const bugExitCode = 70
export const outputExitCode = 74
/** As shells report a program that was ended by Ctrl-C. */
export const interruptedExitCode = 130

export function exitCodeOf(end: DriveEnd, interrupted: boolean): number {
  if (end.type === 'ended') return outcomeExitCodes[end.outcome.type]
  return interrupted ? interruptedExitCode : suspendedExitCode
}

const meanings: readonly (readonly [number, string])[] = [
  [0, 'done: the command did what it says; a run is complete, by checks that passed'],
  [outcomeExitCodes.failed, 'the run failed'],
  [outcomeExitCodes.exhausted, 'the run reached a limit: iterations, tokens, cost, time, deadline'],
  [outcomeExitCodes.stuck, 'the run is stuck: going on would repeat what did not help'],
  [outcomeExitCodes.stopped, 'the run was stopped by somebody'],
  [outcomeExitCodes.cancelled, 'the run was cancelled by somebody'],
  [suspendedExitCode, 'the run is suspended or paused, and can be resumed'],
  [
    interruptedExitCode,
    'left by Ctrl-C or a signal: it goes on in the daemon; without one it can be resumed',
  ],
  [divergedExitCode, 'the replay left the record, and says where'],
  [verdictExitCodes.invalid, 'the certificate is invalid: it proves nothing'],
  [verdictExitCodes.untrusted, 'the certificate was signed by a key that is not trusted here'],
  [verdictExitCodes.differs, 'the certificate is about other files than these'],
  [notCertifiedExitCode, 'not certified, and why is said'],
  [64, 'wrong use: an argument, a name or an answer'],
  [65, 'a file is wrong: a loop file, a template, a checkpoint'],
  [66, 'there is no such run, checkpoint, question, artifact or file'],
  [69, 'not available'],
  [bugExitCode, 'an error of loopctl itself'],
  [73, 'not possible in this state: the run has ended, the name is taken'],
  [outputExitCode, 'the record or the output cannot be read or written'],
  [75, 'busy: somebody else drives the run, or a daemon is there already; try again'],
  [77, 'the loop file is not trusted, or the token gives no right to it'],
  [78, 'the configuration is wrong or lacks something, or the code of the loop changed'],
]

/** Every code that is used has a line; a test holds it to the tables. */
export const exitCodes: ReadonlyMap<number, string> = new Map(meanings)

export const usedExitCodes: readonly number[] = [
  ...Object.values(outcomeExitCodes),
  ...Object.values(errorTable).map(({ exitCode }) => exitCode),
  suspendedExitCode,
  divergedExitCode,
  ...Object.values(verdictExitCodes),
  notCertifiedExitCode,
  bugExitCode,
  outputExitCode,
  interruptedExitCode,
]

export const renderExitCodes = (): string =>
  meanings.map(([code, meaning]) => `${String(code).padStart(5)}  ${meaning}`).join('\n')
