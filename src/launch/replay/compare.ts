/**
 * Two recordings side by side: the same, or where they first differ, in words.
 *
 * Compared are how each step ended, what each check found, the files after each step and iteration, and
 * how the run ended. What people and clocks ended cannot be ended the same way again: such a record is
 * compared as far as it goes.
 */

import {
  lastOf,
  type RecordedIteration,
  type RecordedStep,
  type Recording,
  type StepEnd,
} from '../../history/recording.ts'
import { describeOutcome, type Outcome, type StepId, type TreeId } from '../../loop/index.ts'

export interface Difference {
  /** Absent: it is about the run as a whole. */
  readonly iteration?: number
  readonly step?: StepId
  readonly message: string
  /** Paths that are not the same, if files are what differs. */
  readonly files?: readonly string[]
}

/** Which files differ between two trees. */
export type ChangedFiles = (before: TreeId, after: TreeId) => Promise<readonly string[]>

/** Undefined: the same, as far as the record goes. */
export async function firstDifference(
  recording: Recording,
  again: Recording,
  changed: ChangedFiles,
): Promise<Difference | undefined> {
  for (const [number, iteration] of recording.iterations) {
    const done = again.iterations.get(number)
    if (done === undefined) return neverReached(again, number)
    const difference = await inIteration(iteration, done, changed)
    if (difference !== undefined) return withCause(difference, recording, number)
  }
  return endedByItself(recording) ? atTheEnd(recording, again) : undefined
}

/** What people change in the files, while a run is left or waits, is not done again. */
function withCause(
  difference: Difference,
  { changedIn }: Recording,
  iteration: number,
): Difference {
  if (changedIn === undefined || changedIn > iteration) return difference
  const cause = `somebody changed files during iteration ${changedIn} of the run on record`
  return { ...difference, message: `${difference.message}; ${cause}, and a replay does not` }
}

/** Neither a person nor a clock ended it, so that it would end so again. */
export function endedByItself({ state: { outcome } }: Recording): boolean {
  if (outcome === undefined) return false
  if (outcome.type === 'stopped' || outcome.type === 'cancelled') return false
  return outcome.type !== 'exhausted' || !['time', 'deadline'].includes(outcome.limit)
}

function neverReached({ state: { outcome } }: Recording, iteration: number): Difference {
  const how = outcome === undefined ? 'is not at its end' : `ended: ${describeOutcome(outcome)}`
  return { iteration, message: `the replay ${how}; the record goes on` }
}

async function inIteration(
  recorded: RecordedIteration,
  done: RecordedIteration,
  changed: ChangedFiles,
): Promise<Difference | undefined> {
  const { iteration } = recorded
  const files = await inFiles(recorded.treeBefore, done.treeBefore, changed)
  if (files !== undefined) return { iteration, message: 'it began with other files', files }
  for (const [step, then] of recorded.steps) {
    // It follows from how the iteration ended, which is looked at below.
    if (then.kind === 'certify') continue
    const difference = await inStep(then, done.steps.get(step), changed)
    if (difference !== undefined) return { iteration, step, ...difference }
  }
  // In an iteration that never ended the replay may be further.
  if (recorded.ending === undefined) return undefined
  const more = [...done.steps.values()].find(
    ({ step, kind }) => !recorded.steps.has(step) && kind !== 'certify',
  )
  if (more !== undefined) {
    return { iteration, step: more.step, message: 'the record does not have this step' }
  }
  const left = await inFiles(recorded.treeAfter, done.treeAfter, changed)
  if (left !== undefined) return { iteration, message: 'it left other files', files: left }
  const [then, now] = [describeEnding(recorded), describeEnding(done)]
  if (then !== now) return { iteration, message: `recorded: ${then}; now: ${now}` }
  return undefined
}

async function inStep(
  then: RecordedStep,
  now: RecordedStep | undefined,
  changed: ChangedFiles,
): Promise<Pick<Difference, 'message' | 'files'> | undefined> {
  // Under way when the record ends.
  if (then.end === undefined) return undefined
  if (now?.end === undefined) return { message: 'it was not done again' }
  const [recorded, again] = [describeEnd(then.end), describeEnd(now.end)]
  if (recorded !== again) {
    if (now.end.type !== 'failed') return { message: `recorded: ${recorded}; now: ${again}` }
    const { fault } = now.end
    if (fault.code === 'diverged') return { message: fault.message }
    return { message: `recorded: ${recorded}; now: failed (${fault.code}: ${fault.message})` }
  }
  if (then.end.type === 'failed' || now.end.type === 'failed') return undefined
  const files = await inFiles(then.end.tree, now.end.tree, changed)
  return files === undefined ? undefined : { message: 'it left other files', files }
}

function describeEnd(end: StepEnd): string {
  if (end.type === 'failed') return `failed (${end.fault.code})`
  return end.check ?? 'finished'
}

function describeEnding({ ending }: RecordedIteration): string {
  if (ending === undefined) return 'without an end'
  switch (ending.type) {
    case 'complete':
      return `complete (${ending.met.condition})`
    case 'error':
      return `failed (${ending.fault.code})`
    default:
      return ending.type
  }
}

const filesMax = 20

/** Undefined: the same. */
async function inFiles(
  then: TreeId | undefined,
  now: TreeId | undefined,
  changed: ChangedFiles,
): Promise<readonly string[] | undefined> {
  if (then === now) return undefined
  if (then === undefined || now === undefined) return []
  return (await changed(then, now)).slice(0, filesMax)
}

function atTheEnd(recording: Recording, again: Recording): Difference | undefined {
  const [then, now] = [recording.state.outcome, again.state.outcome]
  if (then !== undefined && now !== undefined && keyOf(then) === keyOf(now)) return undefined
  const words = (outcome: Outcome | undefined): string =>
    outcome === undefined ? 'not at its end' : describeOutcome(outcome)
  const iteration = lastOf(recording)
  const further = lastOf(again) > iteration ? `, and it went on after iteration ${iteration}` : ''
  return { message: `recorded: ${words(then)}; now: ${words(now)}${further}` }
}

/** What of an outcome is the same each time: not the words of an error. */
function keyOf(outcome: Outcome): string {
  switch (outcome.type) {
    case 'completed':
    case 'stuck':
      return `${outcome.type} ${outcome.condition}`
    case 'exhausted':
      return `${outcome.type} ${outcome.limit} ${outcome.condition}`
    case 'failed':
      return `${outcome.type} ${outcome.fault.code}`
    default:
      return outcome.type
  }
}

/** One line: `iteration 2, agent:maker#1: …`. */
export function describeDifference({ iteration, step, message, files = [] }: Difference): string {
  const where = [
    ...(iteration === undefined ? [] : [`iteration ${iteration}`]),
    ...(step === undefined ? [] : [step]),
  ].join(', ')
  const which = files.length === 0 ? '' : ` (${files.join(', ')})`
  return `${where === '' ? 'the end' : where}: ${message}${which}`
}
