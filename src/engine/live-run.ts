/** State that the parts of the engine share while one process drives one run. */

import {
  type Action,
  type CheckResult,
  type ErrorCode,
  type GateRecord,
  isLoopError,
  type Json,
  type LoopError,
  type Met,
  type RunId,
  type StepId,
} from '../loop/index.ts'
import type { Lock } from '../system/index.ts'
import type { Answers } from './control.ts'
import type { Delivery } from './delivery.ts'
import type { HookRunner } from './hooks.ts'
import { type Interrupter, Interruption, type IterationInterrupter } from './interrupter.ts'
import type { LimitWatch } from './limit-watch.ts'
import type { AnyLoopType, Ports } from './ports.ts'
import type { Recorder } from './recorder.ts'
import type { RecordedStep, RecordedSteps } from './steps/recorded-steps.ts'

export interface LiveRun {
  readonly id: RunId
  readonly loop: AnyLoopType
  readonly input: Json | undefined
  readonly ports: Ports
  readonly recorder: Recorder
  readonly interrupter: Interrupter
  readonly limits: LimitWatch
  readonly hooks: HookRunner
  readonly answers: Answers
  /** Held by a step that may change files, or that must see them unchanged. */
  readonly workspaceLock: Lock
}

/** Why an iteration stops before its code has returned. */
export interface Halt {
  readonly retryAtMs: number
  readonly message: string
}

/** An iteration in progress. */
export interface LiveIteration {
  readonly run: LiveRun
  readonly number: number
  readonly recorded: RecordedSteps
  readonly delivery: Delivery
  /** Stops its steps: with the run, or when the iteration reaches its time limit. */
  readonly interrupter: IterationInterrupter
  /** A provider's rate limit: no new steps in this iteration. */
  halt: Halt | undefined
  /** A step was refused or abandoned, so this iteration has no result. */
  refused: boolean
  /** The loop's code has returned: requests for steps now come too late. */
  over: boolean
  /** Why the run cannot continue for now: its code does not match its journal, or a disk fails. */
  broken: Error | undefined
  /** The step whose code is running synchronously right now. */
  calling: StepId | undefined
  /** A question or a sleep ended since the files were last read: people may have changed them. */
  waited: boolean
  /** The report of its last agent. */
  report: string | undefined
  /** The agent was stopped before it changed this file: it would have been one too many. */
  refusedFile: string | undefined
  /** E8. Ends the run because this exact attempt was already made. */
  stuck: Met | undefined
  /** The steps of its code. Undefined: its code was not started. */
  trunk: Branch | undefined
  /** What gates decided in it, by the step of the decision. */
  readonly judged: Map<StepId, JudgedAction>
  /** The newest result of each check in it. */
  readonly checked: Map<string, CheckResult>
}

export interface JudgedAction {
  readonly action: Action
  readonly record: GateRecord
}

/** Infrastructure failures: the run stops here and can be resumed when they are fixed. */
const infrastructure: ReadonlySet<ErrorCode> = new Set([
  'store-failed',
  'store-damaged',
  'workspace-failed',
  // Content that the journal references was moved or removed; it may come back.
  'unknown-artifact',
])

export const isInfrastructure = (error: unknown): error is LoopError =>
  isLoopError(error) && infrastructure.has(error.code)

/** No new steps once the iteration cannot finish. */
export function requireOpen(iteration: LiveIteration): void {
  const { interrupter, halt, broken } = iteration
  interrupter.check()
  if (halt !== undefined || broken !== undefined) throw interrupter.refuse()
}

/** The loop's code has returned, but parts of it still request steps; nothing waits for those. */
export const isLate = ({ iteration, isEngine }: Branch): boolean => iteration.over && !isEngine

/** Returned to late code: never settles. */
export const unanswered = (): Promise<never> => new Promise(() => undefined)

export function breakOff(iteration: LiveIteration, error: Error): void {
  iteration.broken ??= error
  iteration.delivery.fail(error)
}

/**
 * The loop's code may swallow the error of a step that was interrupted or whose disk failed; the
 * iteration still has no result.
 */
export function notice(iteration: LiveIteration, error: unknown): void {
  if (error instanceof Interruption) iteration.refused = true
  const failure = iteration.run.recorder.failure ?? (isInfrastructure(error) ? error : undefined)
  if (failure !== undefined) breakOff(iteration, failure)
}

/**
 * Code that swallows every refusal and asks again must not block the event loop or an iteration that is
 * over (E9). Undefined: there is nothing to slow down.
 */
export function paceRefusals(branch: Branch): Promise<void> | undefined {
  if (isLate(branch)) return unanswered()
  const { iteration } = branch
  const isRefusing = iteration.refused || iteration.broken !== undefined
  return isRefusing ? iteration.run.ports.clock.turn() : undefined
}

/** A sequence of steps inside an iteration: the trunk, or a branch of `parallel`. */
export interface Branch {
  readonly iteration: LiveIteration
  /** Empty for the trunk, `0.left/` for a branch. */
  readonly path: string
  readonly recorded: readonly RecordedStep[]
  readonly occurrences: Map<string, number>
  asked: number
  parallels: number
  /** Resolves when the last requested step has started, so that steps start in the order of requests. */
  lastStart: Promise<void> | undefined
  /** Its steps are requested by the engine, after the loop's code. */
  readonly isEngine: boolean
}

export function createBranch(iteration: LiveIteration, path: string): Branch {
  return {
    iteration,
    path,
    recorded: iteration.recorded.byBranch.get(path) ?? [],
    occurrences: new Map(),
    asked: 0,
    parallels: 0,
    lastStart: undefined,
    isEngine: false,
  }
}

/** Continues the trunk after the loop's code, which can no longer affect it. */
export const engineBranch = (trunk: Branch): Branch => ({
  ...trunk,
  occurrences: new Map(trunk.occurrences),
  lastStart: undefined,
  isEngine: true,
})
