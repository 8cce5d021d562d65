/**
 * A conversation with whatever thinks for an agent. It knows no provider: a brain is asked with all
 * that was said so far and answers with text, with calls of tools, or with both.
 *
 *   user (the prompt)
 *   ├─ assistant: text, calls
 *   ├─ results: one for each call, in their order
 *   ├─ user: a nudge, or a request to go on
 *   └─ assistant: text          no calls: the end
 */

import type { AgentContext, Amount, Json, ToolDescription } from '../loop/index.ts'

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: Json
  /** Why the arguments cannot be used. The tool is not called; the brain is told. */
  readonly problem?: string
}

export interface CallResult {
  readonly id: string
  readonly name: string
  readonly ok: boolean
  readonly text: string
}

export type Message =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly calls: readonly ToolCall[]
      /** The same as its provider gave it; only the brain that made it reads it. */
      readonly raw?: unknown
    }
  | { readonly role: 'results'; readonly results: readonly CallResult[] }

/** Why a reply is no longer than it is. */
export type Stop = 'end' | 'calls' | 'length' | 'refused' | 'failed'

export interface Ask {
  readonly system: string
  readonly messages: readonly Message[]
  /** What is left, and what to do about it. It comes last and is not kept: what is before stays. */
  readonly status?: string
  readonly tools: readonly ToolDescription[]
  /** False: the tools are shown, so that nothing before changes, but must not be called. */
  readonly mayCall: boolean
  readonly turn: number
}

export interface Reply {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly stop: Stop
  readonly usage: Amount
  readonly raw?: unknown
  /** The conversation so far, when it had to be cut to be asked at all. */
  readonly messages?: readonly Message[]
}

/** Contract: it ends at once when the signal aborts, with what it spent settled. */
export interface Brain {
  answer(ask: Ask, context: AgentContext): Promise<Reply>
}
