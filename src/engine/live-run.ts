/** What the parts of the engine share while one process drives one run. */

import {
  type CheckResult,
  type ErrorCode,
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
import { type Interrupter, Interruption } from './interrupter.ts'
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
  readonly hooks: HookRunner
  readonly answers: Answers
  /** Held by the one step that may change files, or that must see them unchanged. */
  readonly workspaceLock: Lock
}

/** Why an iteration is left before its code came to an end. */
export interface Halt {
  readonly retryAtMs: number
  readonly message: string
}

/** One trip around, under way. */
export interface LiveIteration {
  readonly run: LiveRun
  readonly number: number
  readonly recorded: RecordedSteps
  readonly delivery: Delivery
  /** A provider's window is closed: no new steps in this iteration. */
  halt: Halt | undefined
  /** Some step was refused or given up, so this trip has no result. */
  refused: boolean
  /** The loop's code came to its end: what of it asks for a step now comes too late. */
  over: boolean
  /** Why the run cannot go on for now: its code does not fit its journal, or a disk fails. */
  broken: Error | undefined
  /** The step whose code is being called at this moment, until it first waits. */
  calling: StepId | undefined
  /** A question or a sleep has ended since the files were last looked at: people had them. */
  waited: boolean
  /** What the last agent of it reported. */
  report: string | undefined
  /** E8. What ends the run, because the same was tried before. */
  stuck: Met | undefined
  /** The newest answer of each check in it. */
  readonly checked: Map<string, CheckResult>
}

/** Failures of our own house: the run stops here and can be resumed when they are mended. */
const infrastructure: ReadonlySet<ErrorCode> = new Set([
  'store-failed',
  'store-damaged',
  'workspace-failed',
  // Content that the record names was moved or removed; it may come back.
  'unknown-artifact',
])

export const isInfrastructure = (error: unknown): error is LoopError =>
  isLoopError(error) && infrastructure.has(error.code)

/** No new steps once the iteration cannot come to its end. */
export function requireOpen(iteration: LiveIteration): void {
  const { interrupter } = iteration.run
  interrupter.check()
  const { halt, broken } = iteration
  if (halt !== undefined || broken !== undefined) throw interrupter.refuse()
}

/** The loop's code is over, and some of it still asks: nothing waits for that any more. */
export const isLate = ({ iteration, isEngine }: Branch): boolean => iteration.over && !isEngine

/** What late code is given: it goes nowhere from there. */
export const unanswered = (): Promise<never> => new Promise(() => undefined)

export function breakOff(iteration: LiveIteration, error: Error): void {
  iteration.broken ??= error
  iteration.delivery.fail(error)
}

/**
 * A step throws to the loop's code, which may swallow that it was interrupted or that a disk failed;
 * the iteration has no result all the same.
 */
export function notice(iteration: LiveIteration, error: unknown): void {
  if (error instanceof Interruption) iteration.refused = true
  const failure = iteration.run.recorder.failure ?? (isInfrastructure(error) ? error : undefined)
  if (failure !== undefined) breakOff(iteration, failure)
}

/**
 * Code that swallows every refusal and asks again must not keep the process from its other work, nor
 * hold an iteration that is over (E9). Undefined: there is nothing to slow down.
 */
export function paceRefusals(branch: Branch): Promise<void> | undefined {
  if (isLate(branch)) return unanswered()
  const { iteration } = branch
  const isRefusing = iteration.refused || iteration.broken !== undefined
  return isRefusing ? iteration.run.ports.clock.turn() : undefined
}

/** One line of steps inside an iteration: the trunk, or a branch of `parallel`. */
export interface Branch {
  readonly iteration: LiveIteration
  /** Empty for the trunk, `0.left/` for a branch. */
  readonly path: string
  readonly recorded: readonly RecordedStep[]
  readonly occurrences: Map<string, number>
  asked: number
  parallels: number
  /** Resolves when the step asked for last has started, so that starts keep the order of asking. */
  lastStart: Promise<void> | undefined
  /** What it asks for is the engine's own: it comes after the loop's code. */
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

/** Goes on where the loop's code left the trunk; what that code does from now on does not touch it. */
export const engineBranch = (trunk: Branch): Branch => ({
  ...trunk,
  occurrences: new Map(trunk.occurrences),
  lastStart: undefined,
  isEngine: true,
})
