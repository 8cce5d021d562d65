/** Notes about a step while it runs: turns, tool calls, exchanges with models. */

import type { Amount } from '../budget.ts'
import type { BlobId } from '../ids.ts'
import type { TodoList } from './todo-list.ts'

export interface Exchanged {
  /** Counts the exchanges of its step, from 1. */
  readonly ordinal: number
  readonly provider: string
  readonly model: string
  /** How it ended, as a stable key: `complete`, `idle`, `rate-limited`… */
  readonly ended: string
  readonly spent: Amount
  /** The provider did not report its usage, or the price of this model is unknown. */
  readonly isEstimated: boolean
  readonly durationMs: number
}

/** What can be observed of a working agent. */
export type AgentNote =
  | {
      readonly type: 'turn-ended'
      readonly turn: number
      /** Its text, shortened. */
      readonly text: string
      readonly calls: number
      /** The first of the tool calls that follow, shortened. */
      readonly calling?: string
      readonly usage: Amount
    }
  /** The conversation no longer fit into the model's context window. */
  | { readonly type: 'context-cut'; readonly tokens: number; readonly what: string }
  /** It repeated itself and was reminded of that. */
  | { readonly type: 'nudged'; readonly tool: string; readonly times: number }
  /** A piece of its output while it works. */
  | { readonly type: 'said'; readonly text: string }
  /** The todo list that it keeps, each time it changes. */
  | ({ readonly type: 'todo' } & TodoList)
  /** A provider's rate limit. This is not a failure. */
  | { readonly type: 'waiting'; readonly untilMs: number; readonly message: string }

/** One tool call, by an agent or by the loop itself. */
export interface ToolNote {
  readonly type: 'tool-called'
  readonly tool: string
  /** The arguments, shortened. */
  readonly args: string
  readonly ok: boolean
  readonly error?: string
  readonly durationMs: number
  readonly outputBytes: number
  /** The rules of the policy that allowed or denied it. Absent: no policy applies. */
  readonly policy?: readonly string[]
}

/** An exchange with a model; its content is in the blob. */
export interface ExchangeNote extends Exchanged {
  readonly type: 'exchanged'
  readonly attempt: number
  readonly blob: BlobId
  readonly bytes: number
}

/** The prompt as it was sent, if it is more than the prompt of the task; it is in the blob. */
export interface PromptNote {
  readonly type: 'prompted'
  readonly blob: BlobId
  readonly bytes: number
}

export type StepNote = AgentNote | ToolNote | ExchangeNote | PromptNote
