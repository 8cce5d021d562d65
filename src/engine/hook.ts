/** Hooks: plain functions that are called when something happens, and may refuse what is about to happen. */

import type { Fault, Json, RunId, RunState, ToolResult } from '../loop/index.ts'

export const hookPoints = [
  'before-run',
  'after-run',
  'before-iteration',
  'after-iteration',
  'before-step',
  'after-step',
  'before-tool',
  'after-tool',
] as const

/** When hooks are called. */
export type HookPoint = (typeof hookPoints)[number]

/** The argument of a hook. */
export interface HookContext {
  readonly point: HookPoint
  readonly run: RunId
  readonly state: RunState
  /** The step or tool concerned. */
  readonly step?: string
  /** The arguments of a tool call. */
  readonly args?: Json
  /** The result of the call, after it. */
  readonly result?: ToolResult
  readonly fault?: Fault
}

/**
 * A plain function. The run waits for a blocking hook, and an error that it throws refuses what was about
 * to happen; a fatal fault ends the run. An observing hook can neither delay nor harm a run.
 */
export interface Hook {
  readonly name: string
  readonly points: readonly HookPoint[]
  readonly blocking?: boolean
  readonly run: (context: HookContext) => void | Promise<void>
}
