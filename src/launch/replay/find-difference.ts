/**
 * Compares two recordings and describes their first difference.
 *
 * Compares how each step ended, the result of each check, the files after each step and iteration, and the
 * outcome of the run. A run that a person or a clock ended cannot end the same way again: it is compared as
 * far as its recording goes.
 */

import {
  lastIteration,
  type RecordedIteration,
  type RecordedStep,
  type Recording,
  type StepEnd,
} from '../../history/recording.ts'
import { describeOutcome, type Outcome, type StepId, type TreeId } from '../../loop/index.ts'

export interface Difference {
  /** Absent: the difference concerns the whole run. */
  readonly iteration?: number
  readonly step?: StepId
  readonly message: string
  /** The paths that differ, if the files differ. */
  readonly files?: readonly string[]
}

/** Lists the files that differ between two trees. */
export type ChangedFiles = (before: TreeId, after: TreeId) => Promise<readonly string[]>

/** Undefined: the same, as far as the recording goes. */
export async function findDifference(
  recording: Recording,
  again: Recording,
  changed: ChangedFiles,
): Promise<Difference | undefined> {
  for (const [number, iteration] of recording.iterations) {
    const done = again.iterations.get(number)
    if (done === undefined) return createNotReached(again, number)
    const difference = await compareIteration(iteration, done, changed)
    if (difference !== undefined) return withCause(difference, recording, number)
  }
  return endedWithoutIntervention(recording) ? compareOutcome(recording, again) : undefined
}

/** A replay does not repeat changes that people make to the files while a run is interrupted or waits. */
function withCause(
  difference: Difference,
  { changedInIteration: changedIn }: Recording,
  iteration: number,
): Difference {
  if (changedIn === undefined || changedIn > iteration) return difference
  const cause = `files were changed by hand during iteration ${changedIn} of the original run`
  return {
    ...difference,
    message: `${difference.message}; ${cause}, which a replay does not repeat`,
  }
}

/** Neither a person nor a clock ended it, so it should end the same way again. */
export function endedWithoutIntervention({ state: { outcome } }: Recording): boolean {
  if (outcome === undefined) return false
  if (outcome.type === 'stopped' || outcome.type === 'cancelled') return false
  return outcome.type !== 'exhausted' || !['time', 'deadline'].includes(outcome.limit)
}

function createNotReached({ state: { outcome } }: Recording, iteration: number): Difference {
  const how = outcome === undefined ? 'has not ended' : `ended: ${describeOutcome(outcome)}`
  return { iteration, message: `the replay ${how}; the original run continued` }
}

async function compareIteration(
  recorded: RecordedIteration,
  done: RecordedIteration,
  changed: ChangedFiles,
): Promise<Difference | undefined> {
  const { iteration } = recorded
  const files = await compareFiles(recorded.treeBefore, done.treeBefore, changed)
  if (files !== undefined) return { iteration, message: 'it started with different files', files }
  for (const [step, then] of recorded.steps) {
    // Its result follows from the end of the iteration, which is compared below.
    if (then.kind === 'certify') continue
    const difference = await compareStep(then, done.steps.get(step), changed)
    if (difference !== undefined) return { iteration, step, ...difference }
  }
  // In an iteration that never ended, the replay may have got further.
  if (recorded.ending === undefined) return undefined
  const more = [...done.steps.values()].find(
    ({ step, kind }) => !recorded.steps.has(step) && kind !== 'certify',
  )
  if (more !== undefined) {
    return { iteration, step: more.step, message: 'the original run does not have this step' }
  }
  const after = await compareFiles(recorded.treeAfter, done.treeAfter, changed)
  if (after !== undefined) return { iteration, message: 'it left different files', files: after }
  const [then, now] = [describeEnding(recorded), describeEnding(done)]
  if (then !== now) return { iteration, message: `recorded: ${then}; now: ${now}` }
  return undefined
}

async function compareStep(
  then: RecordedStep,
  now: RecordedStep | undefined,
  changed: ChangedFiles,
): Promise<Pick<Difference, 'message' | 'files'> | undefined> {
  // It was running when the recording ended.
  if (then.end === undefined) return undefined
  if (now?.end === undefined) return { message: 'it was not repeated' }
  const [recorded, again] = [describeEnd(then.end), describeEnd(now.end)]
  if (recorded !== again) {
    if (now.end.type !== 'failed') return { message: `recorded: ${recorded}; now: ${again}` }
    const { fault } = now.end
    if (fault.code === 'diverged') return { message: fault.message }
    return { message: `recorded: ${recorded}; now: failed (${fault.code}: ${fault.message})` }
  }
  if (then.end.type === 'failed' || now.end.type === 'failed') return undefined
  const files = await compareFiles(then.end.tree, now.end.tree, changed)
  return files === undefined ? undefined : { message: 'it left different files', files }
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
async function compareFiles(
  then: TreeId | undefined,
  now: TreeId | undefined,
  changed: ChangedFiles,
): Promise<readonly string[] | undefined> {
  if (then === now) return undefined
  if (then === undefined || now === undefined) return []
  return (await changed(then, now)).slice(0, filesMax)
}

function compareOutcome(recording: Recording, again: Recording): Difference | undefined {
  const [then, now] = [recording.state.outcome, again.state.outcome]
  if (then !== undefined && now !== undefined && toComparable(then) === toComparable(now))
    return undefined
  const words = (outcome: Outcome | undefined): string =>
    outcome === undefined ? 'not ended' : describeOutcome(outcome)
  const iteration = lastIteration(recording)
  const further =
    lastIteration(again) > iteration ? `, and it continued after iteration ${iteration}` : ''
  return { message: `recorded: ${words(then)}; now: ${words(now)}${further}` }
}

/** The part of an outcome that must be the same, without messages of errors. */
function toComparable(outcome: Outcome): string {
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
