/**
 * The phases of a run, and the members that exist only in each phase. The status is the discriminant.
 *
 *            | open iteration | open waits | suspended tree | outcome
 *   pending  | –              | –          | –              | –
 *   running  | between two: – | –          | until entered  | –
 *   waiting  | always         | of steps   | –              | –
 *   halted   | if interrupted | –          | if known       | –
 *   ended    | –              | –          | if known       | always
 *
 * Each constructor writes every member, so that nothing of the previous phase remains and all states
 * have the same shape.
 */

import type { StepId, TreeId } from './ids.ts'
import type { Outcome } from './outcome.ts'

export interface OpenIteration {
  readonly iteration: number
  /** The seq of its first event. */
  readonly fromSeq: number
  readonly startedAtMs: number
  readonly codeDigest: string
}

/** Created, but never driven. */
export interface Pending {
  readonly status: 'pending'
  readonly open?: undefined
  readonly waits: readonly []
  readonly suspendedTree?: undefined
  readonly outcome?: undefined
}

/** A process drives it, or did when it was killed. */
export interface Running {
  readonly status: 'running'
  /** The current iteration, or one to be continued. Absent: between two iterations. */
  readonly open?: OpenIteration | undefined
  readonly waits: readonly []
  /** The files at the last graceful suspension, until an iteration is started or continued. */
  readonly suspendedTree?: TreeId | undefined
  readonly outcome?: undefined
}

/** Driven, but idle until a point in time or an answer. */
export interface Waiting {
  readonly status: 'waiting'
  readonly open: OpenIteration
  /** Steps that sleep or wait for a person. Empty: the run waits for a provider. */
  readonly waits: readonly StepId[]
  readonly suspendedTree?: undefined
  readonly outcome?: undefined
}

/** Stopped gracefully; it can be resumed. */
export interface Halted {
  readonly status: 'suspended' | 'paused'
  /** An iteration to be continued. */
  readonly open?: OpenIteration | undefined
  readonly waits: readonly []
  readonly suspendedTree?: TreeId | undefined
  readonly outcome?: undefined
}

export interface EndedBy<O extends Outcome> {
  readonly status: O['type']
  readonly open?: undefined
  readonly waits: readonly []
  /** Present if the run was ended while it was suspended. */
  readonly suspendedTree?: TreeId | undefined
  readonly outcome: O
}

type EachEnd<O extends Outcome> = O extends Outcome ? EndedBy<O> : never

export type Ended = EachEnd<Outcome>

export type RunPhase = Pending | Running | Waiting | Halted | Ended

/** With all members present, so that it replaces every member of another phase. */
export type Whole<P> = P extends RunPhase ? { readonly [K in keyof P]-?: P[K] } : never

const none: readonly [] = []

export const pending: Whole<Pending> = {
  status: 'pending',
  open: undefined,
  waits: none,
  suspendedTree: undefined,
  outcome: undefined,
}

export const running = (
  open: OpenIteration | undefined,
  suspendedTree?: TreeId,
): Whole<Running> => ({ status: 'running', open, waits: none, suspendedTree, outcome: undefined })

export const waiting = (open: OpenIteration, waits: readonly StepId[]): Whole<Waiting> => ({
  status: 'waiting',
  open,
  waits,
  suspendedTree: undefined,
  outcome: undefined,
})

export const halted = (
  status: Halted['status'],
  open: OpenIteration | undefined,
  suspendedTree: TreeId | undefined,
): Whole<Halted> => ({ status, open, waits: none, suspendedTree, outcome: undefined })

export function ended(outcome: Outcome, suspendedTree: TreeId | undefined): Whole<Ended> {
  const left = { open: undefined, waits: none, suspendedTree }
  // The cases are the same, but only this way the compiler sees that status and outcome agree.
  switch (outcome.type) {
    case 'completed':
      return { status: outcome.type, ...left, outcome }
    case 'exhausted':
      return { status: outcome.type, ...left, outcome }
    case 'denied':
      return { status: outcome.type, ...left, outcome }
    case 'stuck':
      return { status: outcome.type, ...left, outcome }
    case 'stopped':
      return { status: outcome.type, ...left, outcome }
    case 'cancelled':
      return { status: outcome.type, ...left, outcome }
    case 'failed':
      return { status: outcome.type, ...left, outcome }
  }
}
