/** What a checkpoint file is made from, and values that several parts of the file share. */

import type { Ending, Json, RecordedEvent, RunId, RunState, TreeId } from '../loop/index.ts'
import {
  agentNameCharsMax,
  isJsonObject,
  type JsonObject,
  loopConfigBounds,
  type WorkspaceFile,
} from '../protocol/index.ts'

export interface CheckpointSource {
  readonly run: { readonly id: RunId; readonly name: string }
  /** The state after the iteration that is checkpointed. */
  readonly state: RunState
  /** The run's events in order, or only the newest; events after the state are ignored. */
  readonly events: readonly RecordedEvent[]
  readonly input: Json | undefined
  /** The names of the run's checks, which become exit conditions. */
  readonly checks: readonly string[]
  /** The content of `checkpointTree(state)`, to restore the workspace on a machine that lacks it. */
  readonly files?: readonly WorkspaceFile[]
}

/** The tree at the iteration boundary: during an iteration, the one it started on. */
export const checkpointTree = (state: RunState): TreeId | undefined =>
  state.open === undefined ? state.tree : state.treeAtIterationStart

export function clamp(
  value: number,
  bounds: { readonly min: number; readonly max: number },
): number {
  return Math.min(bounds.max, Math.max(bounds.min, Math.round(value)))
}

/** Clamped to the format's bounds of 1 to 10000. */
export const toMaxIterations = (state: RunState): number =>
  clamp(state.limits.iterations, loopConfigBounds.max_iterations)

/** Cut to the format's bounds of 1 to 64 characters. */
export const toAgentName = (state: RunState): string =>
  state.loop === '' ? 'unnamed' : state.loop.slice(0, agentNameCharsMax)

const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Clamped to four-digit years, the only ones that the date-time format allows. */
export const isoTime = (ms: number): string =>
  new Date(clamp(ms, { min: 0, max: lastMs })).toISOString()

/** The format requires an object, so other progress is wrapped in one. */
export function toAgentState(state: RunState): JsonObject {
  const { progress } = state
  if (progress === undefined) return {}
  return isJsonObject(progress) ? progress : { progress }
}

export interface CheckpointPosition {
  readonly id: string
  readonly atMs: number
}

/** Where the last counted iteration ended, if the events reach back that far. */
export function findLastCheckpoint(source: CheckpointSource): CheckpointPosition | undefined {
  const { run, state, events } = source
  const found = events.findLast(
    ({ seq, event }) =>
      seq <= state.seq &&
      event.type === 'iteration-ended' &&
      event.iteration === state.iteration &&
      isCounted(event.ending),
  )
  return found === undefined ? undefined : { id: `${run.id}:${found.seq}`, atMs: found.atMs }
}

/** Whether an iteration with this ending is finished, rather than entered again later. */
export const isCounted = (ending: Ending): boolean =>
  ending.type !== 'rate-limited' && ending.type !== 'interrupted'
