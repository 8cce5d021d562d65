/** Hooks: plain functions that are told what happens, and may refuse what is about to. */

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

/** A moment at which hooks are called. */
export type HookPoint = (typeof hookPoints)[number]

/** What a hook is given. */
export interface HookContext {
  readonly point: HookPoint
  readonly run: RunId
  readonly state: RunState
  /** The step or tool that it is about. */
  readonly step?: string
  /** What a tool is called with. */
  readonly args?: Json
  /** What came of the call, afterwards. */
  readonly result?: ToolResult
  readonly fault?: Fault
}

/**
 * A plain function that is told. A blocking one is waited for, and what it throws refuses the thing
 * it came before; a fatal fault refuses the rest of the run with it. An observing one can neither delay
 * nor hurt a run.
 */
export interface Hook {
  readonly name: string
  readonly points: readonly HookPoint[]
  readonly blocking?: boolean
  readonly run: (context: HookContext) => void | Promise<void>
}
