/** What a checkpoint file is made from, and the readings of it that several entities share. */

import type { Ending, Json, RecordedEvent, RunId, RunState, TreeId } from '../loop/index.ts'
import { agentNameCharsMax, loopConfigBounds } from './entities.ts'
import { isJsonObject, type JsonObject } from './values.ts'
import type { WorkspaceFile } from './workspace-file.ts'

export interface CheckpointSource {
  readonly run: { readonly id: RunId; readonly name: string }
  /** The state after the iteration that this is the checkpoint of. */
  readonly state: RunState
  /** The run's events in order, or the newest of them; those after the state are left out. */
  readonly events: readonly RecordedEvent[]
  readonly input: Json | undefined
  /** The names of the run's checks: document 001's exit conditions. */
  readonly checks: readonly string[]
  /** The content of `checkpointTree(state)`, to restore the workspace where it is not known. */
  readonly files?: readonly WorkspaceFile[]
}

/** The tree at the iteration boundary: with an iteration under way, the one it started on. */
export const checkpointTree = (state: RunState): TreeId | undefined =>
  state.open === undefined ? state.tree : state.treeAtIterationStart

export function clamp(
  value: number,
  bounds: { readonly min: number; readonly max: number },
): number {
  return Math.min(bounds.max, Math.max(bounds.min, Math.round(value)))
}

/** Bounds of document 001: 1 to 10000. */
export const maxIterationsOf = (state: RunState): number =>
  clamp(state.limits.iterations, loopConfigBounds.max_iterations)

/** Bounds of document 001: 1 to 64 characters. */
export const agentNameOf = (state: RunState): string =>
  state.loop === '' ? 'unnamed' : state.loop.slice(0, agentNameCharsMax)

const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Years of four digits only, which is all that the date-time format allows. */
export const isoTime = (ms: number): string =>
  new Date(clamp(ms, { min: 0, max: lastMs })).toISOString()

/** Document 001's state is an object; progress that is none gets one around it. */
export function agentStateOf(state: RunState): JsonObject {
  const { progress } = state
  if (progress === undefined) return {}
  return isJsonObject(progress) ? progress : { progress }
}

export interface CheckpointPlace {
  readonly id: string
  readonly atMs: number
}

/** Where the iteration ended that the state is after, if the events reach back to it. */
export function lastCheckpoint(source: CheckpointSource): CheckpointPlace | undefined {
  const { run, state, events } = source
  const found = events.findLast(
    ({ seq, event }) =>
      seq <= state.seq &&
      event.type === 'iteration-ended' &&
      event.iteration === state.iteration &&
      counts(event.ending),
  )
  return found === undefined ? undefined : { id: `${run.id}:${found.seq}`, atMs: found.atMs }
}

/** Whether an iteration that ended so is over, and not entered again. */
export const counts = (ending: Ending): boolean =>
  ending.type !== 'rate-limited' && ending.type !== 'interrupted'
