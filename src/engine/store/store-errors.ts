/** What every store refuses, in the same words. */

import { LoopError, type RunId, type RunStatus } from '../../loop/index.ts'
import type { LocalOwners, Owner } from './lease.ts'

interface Named {
  readonly id: string
  readonly name: string
}

export const storeErrors = {
  unknownRun: (run: string): LoopError =>
    new LoopError('unknown-run', `There is no run "${run}". See which there are: loopctl list`),

  ambiguousRun(text: string, candidates: readonly Named[]): LoopError {
    const names = candidates.map(({ id, name }) => `${name} (${id})`).join(', ')
    return new LoopError('ambiguous-run', `"${text}" fits ${names}. Say more of it.`, {
      details: { candidates: candidates.map(({ id, name }) => ({ id, name })) },
    })
  },

  nameTaken: (name: string, cause?: unknown): LoopError =>
    new LoopError(
      'name-taken',
      `There is a run named "${name}" already. Resume or fork that one, or choose another name.`,
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
      `Run "${name}" is running in the same workspace, or in one inside the other. Wait for it, or give this run another one.`,
    ),

  fenced: (run: RunId): LoopError =>
    new LoopError(
      'fenced',
      `Run ${run} was taken over by another process while this one did not answer. ` +
        'Nothing of this change was kept.',
    ),

  outOfPlace: (seq: number, lastSeq: number): LoopError =>
    new LoopError(
      'store-failed',
      `Event ${seq} does not follow event ${lastSeq}, which is the last on disk. Nothing of this ` +
        'change was kept; resume the run.',
    ),

  notEnded: (name: string, status: RunStatus): LoopError =>
    new LoopError(
      'wrong-status',
      `Run "${name}" has not ended (${status}), so it could be resumed. End it first ` +
        `(loopctl cancel ${name}), or remove it as it is (--force; in code: force).`,
    ),

  alreadyEnded: (name: string, status: RunStatus): LoopError =>
    new LoopError('wrong-status', `Run "${name}" has ended (${status}); fork it instead.`),

  alreadyAnswered: (question: string, cause?: unknown): LoopError =>
    new LoopError('already-answered', `Question ${question} has its answer already.`, { cause }),

  alreadyApplied: (decision: number): LoopError =>
    new LoopError(
      'fenced',
      `Decision ${decision} was applied already; nothing was kept. Read the run anew.`,
    ),

  keyReused: (key: string): LoopError =>
    new LoopError(
      'key-reused',
      `The key ${JSON.stringify(key)} was used for another request. Give each new request a key of its own.`,
    ),
} as const
