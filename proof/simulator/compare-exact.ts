/**
 * E2. A run that was disturbed comes to what it would have come to undisturbed: the same iterations,
 * results, progress, outcome and files.
 */

import type { Json, RecordedEvent } from '#src/loop/index.ts'
import { sameJson } from './final-model.ts'
import type { Trip } from './log-model.ts'
import type { SimulatedRun } from './simulated-ports.ts'

export function compareExact(
  expected: readonly SimulatedRun[],
  actual: readonly SimulatedRun[],
): string | undefined {
  for (const [index, run] of actual.entries()) {
    const origin = actual.findIndex((other) => other.id === run.forkOf?.run)
    const other = expected[origin < 0 ? index : origin]
    const problem = other === undefined ? 'it is missing' : compareRuns(other, run)
    if (problem !== undefined) return `run ${index}: E2: ${problem}`
  }
  return undefined
}

function compareRuns(expected: SimulatedRun, actual: SimulatedRun): string | undefined {
  const fork = actual.forkOf
  const ours = fork === undefined ? summary(actual) : firstResults(actual, fork.iteration)
  const theirs = fork === undefined ? summary(expected) : firstResults(expected, fork.iteration)
  // What ended the other run may not end one that goes on from the middle of it.
  if (fork !== undefined && Object.keys(theirs).length === 0) return undefined
  for (const [key, value] of Object.entries(theirs)) {
    const found = ours[key]
    if (!sameJson(value, found)) {
      return `undisturbed, ${key} is ${JSON.stringify(value)}, and not ${JSON.stringify(found)}`
    }
  }
  const isExtra = (key: string): boolean =>
    !Object.hasOwn(theirs, key) && !(fork !== undefined && isCheck(key))
  const extra = Object.keys(ours).filter(isExtra)
  return extra.length === 0 ? undefined : `undisturbed there is no ${extra.join(', ')}`
}

/** What the other run knew of its files before, a fork has to ask the checks itself. */
const isCheck = (key: string): boolean => key.includes('"check:')

function summary(run: SimulatedRun): Record<string, unknown> {
  const { state, trips } = run.watch.log
  const { outcome, progress, iteration } = state
  const last = new Map(trips.map((trip) => [trip.iteration, trip]))
  return {
    ...Object.fromEntries([...last.values()].flatMap(resultsOf)),
    outcome: outcome?.type === 'failed' ? { ...outcome, fault: outcome.fault.code } : outcome,
    progress,
    iteration,
    files: run.files === undefined ? undefined : Object.fromEntries(run.files.read()),
  }
}

/** A fork counts errors and standstill anew, so only its first iteration is the same for certain. */
function firstResults(run: SimulatedRun, after: number): Record<string, unknown> {
  const trip = run.watch.log.trips.findLast((one) => one.iteration === after + 1)
  return trip === undefined ? {} : Object.fromEntries(resultsOf(trip))
}

function resultsOf(trip: Trip): [string, unknown][] {
  return [...trip.completions].map(([step, { event }]) => [
    `iteration ${trip.iteration} "${step}"`,
    event.type === 'step-failed' ? event.fault : withoutTimes(event.result),
  ])
}

/**
 * How long a check took is no part of what it found, and what a gate saw at its moment, such as what parallel branches
 * had spent, is no part of its verdict.
 */
function withoutTimes(
  result: Extract<RecordedEvent['event'], { type: 'step-finished' }>['result'],
) {
  if (result === undefined || !('value' in result)) return result
  const { value } = result
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { durationMs: _durationMs, facts: _facts, ...rest } = value as { [key: string]: Json }
  return rest
}
