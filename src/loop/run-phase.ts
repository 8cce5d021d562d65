/**
 * Where a run is in its life, and what is there only then. The status tells the phases apart.
 *
 *            | open iteration | open waits | suspended tree | outcome
 *   pending  | –              | –          | –              | –
 *   running  | between two: – | –          | until entered  | –
 *   waiting  | always         | of steps   | –              | –
 *   halted   | if cut short   | –          | if it is known | –
 *   ended    | –              | –          | if it is known | always
 *
 * Each constructor writes every member, so that the phase before leaves nothing behind and all states
 * have one shape.
 */

import type { StepId, TreeId } from './ids.ts'
import type { Outcome } from './outcome.ts'

export interface OpenIteration {
  readonly iteration: number
  /** Where its events begin in the journal. */
  readonly fromSeq: number
  readonly startedAtMs: number
  readonly codeDigest: string
}

/** Created, and not driven yet. */
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
  /** The iteration under way, or one to be entered again. Absent: between two. */
  readonly open?: OpenIteration | undefined
  readonly waits: readonly []
  /** The files as a suspension in good order left them, until an iteration is entered again. */
  readonly suspendedTree?: TreeId | undefined
  readonly outcome?: undefined
}

/** Driven, and without work until a time or a person comes. */
export interface Waiting {
  readonly status: 'waiting'
  readonly open: OpenIteration
  /** Open waits of steps: sleeping, or asking a person. None: a provider is waited for. */
  readonly waits: readonly StepId[]
  readonly suspendedTree?: undefined
  readonly outcome?: undefined
}

/** Stopped in good order; it can be resumed. */
export interface Halted {
  readonly status: 'suspended' | 'paused'
  /** An iteration to be entered again. */
  readonly open?: OpenIteration | undefined
  readonly waits: readonly []
  readonly suspendedTree?: TreeId | undefined
  readonly outcome?: undefined
}

export interface EndedBy<O extends Outcome> {
  readonly status: O['type']
  readonly open?: undefined
  readonly waits: readonly []
  /** Of a run that was ended while it was suspended. */
  readonly suspendedTree?: TreeId | undefined
  readonly outcome: O
}

type EachEnd<O extends Outcome> = O extends Outcome ? EndedBy<O> : never

export type Ended = EachEnd<Outcome>

export type RunPhase = Pending | Running | Waiting | Halted | Ended

/** With every member written out, so that it replaces all of another phase. */
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
  // The same in each case: only so does the compiler see that status and outcome agree.
  switch (outcome.type) {
    case 'completed':
      return { status: outcome.type, ...left, outcome }
    case 'exhausted':
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
