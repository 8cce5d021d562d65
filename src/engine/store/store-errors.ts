/** What every store refuses, in the same words. */

import { LoopError, type RunId, type RunStatus } from '../../loop/index.ts'
import type { LocalOwners, Owner } from './lease.ts'

interface Named {
  readonly id: string
  readonly name: string
}

export const storeErrors = {
  unknownRun: (run: string): LoopError =>
    new LoopError('unknown-run', `There is no run "${run}". List all runs: loopctl list`),

  ambiguousRun(text: string, candidates: readonly Named[]): LoopError {
    const names = candidates.map(({ id, name }) => `${name} (${id})`).join(', ')
    return new LoopError(
      'ambiguous-run',
      `"${text}" is ambiguous: it matches ${names}. Use a longer prefix or the id.`,
      {
        details: { candidates: candidates.map(({ id, name }) => ({ id, name })) },
      },
    )
  },

  nameTaken: (name: string, cause?: unknown): LoopError =>
    new LoopError(
      'name-taken',
      `A run named "${name}" already exists. Resume or fork it, or choose another name.`,
      { cause },
    ),

  runBusy(run: RunId, owner: Owner, owners: LocalOwners | undefined): LoopError {
    const holder = owners?.describe?.(owner) ?? 'another process'
    return new LoopError(
      'run-busy',
      `Run ${run} is running in ${holder}. Wait for it, or end it: loopctl stop ${run}`,
    )
  },

  workspaceBusy: (name: string): LoopError =>
    new LoopError(
      'workspace-busy',
      `Run "${name}" is running in the same workspace, or in one inside the other. Wait for it, or use another workspace.`,
    ),

  fenced: (run: RunId): LoopError =>
    new LoopError(
      'fenced',
      `Run ${run} was taken over by another process while this one did not respond. ` +
        'This change was not saved.',
    ),

  lineFenced: (target: string): LoopError =>
    new LoopError(
      'fenced',
      `Another process took over merging into ${target} while this one did not respond. ` +
        'This change was not saved. Merge again.',
    ),

  unknownSchedule: (schedule: string): LoopError =>
    new LoopError(
      'unknown-schedule',
      `There is no schedule "${schedule}". List all schedules: loopctl schedule list`,
    ),

  scheduleNameTaken: (name: string): LoopError =>
    new LoopError(
      'name-taken',
      `A schedule named "${name}" already exists. Choose another name (--name), or remove it: loopctl schedule remove ${name}`,
    ),

  tooManySchedules: (most: number): LoopError =>
    new LoopError(
      'bad-request',
      `There are already ${most} schedules. Remove some: loopctl schedule remove <name>`,
    ),

  scheduleChanged: (name: string): LoopError =>
    new LoopError(
      'fenced',
      `Schedule "${name}" was changed at the same time. This change was not saved. Try again.`,
    ),

  outOfPlace: (seq: number, lastSeq: number): LoopError =>
    new LoopError(
      'store-failed',
      `Event ${seq} does not follow event ${lastSeq}, the last one on disk. This change was not ` +
        'saved. Resume the run.',
    ),

  notEnded: (name: string, status: RunStatus): LoopError =>
    new LoopError(
      'wrong-status',
      `Run "${name}" has not ended (${status}), so it can still be resumed. End it first ` +
        `(loopctl cancel ${name}), or remove it anyway (--force; in code: force).`,
    ),

  alreadyEnded: (name: string, status: RunStatus): LoopError =>
    new LoopError('wrong-status', `Run "${name}" has ended (${status}); fork it instead.`),

  alreadyAnswered: (question: string, cause?: unknown): LoopError =>
    new LoopError(
      'already-answered',
      `Question ${question} is already answered. See what is still open: loopctl inbox`,
      { cause },
    ),

  alreadyApplied: (decision: number): LoopError =>
    new LoopError(
      'fenced',
      `Decision ${decision} was already applied. This change was not saved. Load the run again.`,
    ),

  memoryTooLarge: (problem: string): LoopError =>
    new LoopError(
      'bad-request',
      `The loop cannot remember this: ${problem}. Shorten it and try again.`,
    ),

  keyReused: (key: string): LoopError =>
    new LoopError(
      'key-reused',
      `The key ${JSON.stringify(key)} was used for another request. Use a unique key for each new request.`,
    ),
} as const
