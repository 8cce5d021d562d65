/** What is noted about a step while it runs: turns, tool calls, exchanges with models. */

import type { Amount } from './budget.ts'
import type { BlobId } from './ids.ts'

export interface Exchanged {
  /** Which one of its step, from 1. */
  readonly ordinal: number
  readonly provider: string
  readonly model: string
  /** How it ended, as a stable key: `complete`, `idle`, `rate-limited`… */
  readonly ended: string
  readonly spent: Amount
  /** The provider did not say what it used, or the price of the very model is not known. */
  readonly isEstimated: boolean
  readonly durationMs: number
}

/** What can be seen of an agent at work. */
export type AgentNote =
  | {
      readonly type: 'turn-ended'
      readonly turn: number
      /** What it said, shortened. */
      readonly text: string
      readonly calls: number
      /** The first of the calls that it makes now, shortened. */
      readonly calling?: string
      readonly usage: Amount
    }
  /** The conversation no longer fitted into the model's window. */
  | { readonly type: 'context-cut'; readonly tokens: number; readonly what: string }
  /** It repeated itself and was told so. */
  | { readonly type: 'nudged'; readonly tool: string; readonly times: number }
  /** A piece of what it prints, while it works. */
  | { readonly type: 'said'; readonly text: string }
  /** The window of a provider is closed. Nothing failed. */
  | { readonly type: 'waiting'; readonly untilMs: number; readonly message: string }

/** One call of a tool, by an agent or by the loop itself. */
export interface ToolNote {
  readonly type: 'tool-called'
  readonly tool: string
  /** The arguments, shortened. */
  readonly args: string
  readonly ok: boolean
  readonly error?: string
  readonly durationMs: number
  readonly outputBytes: number
}

/** An exchange with a model; what was said is in the blob. */
export interface ExchangeNote extends Exchanged {
  readonly type: 'exchanged'
  readonly attempt: number
  readonly blob: BlobId
  readonly bytes: number
}

/** The prompt as it was sent, where something was added to the task's; it is in the blob. */
export interface PromptNote {
  readonly type: 'prompted'
  readonly blob: BlobId
  readonly bytes: number
}

export type StepNote = AgentNote | ToolNote | ExchangeNote | PromptNote
