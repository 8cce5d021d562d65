/**
 * A conversation with the model behind an agent, independent of any provider: a chat model gets all
 * messages so far and replies with text, with tool calls, or with both.
 *
 *   user (the prompt)
 *   ├─ assistant: text, calls
 *   ├─ results: one for each call, in order
 *   ├─ user: a nudge, or a request to continue
 *   └─ assistant: text          no calls: the end
 */

import type { AgentContext, Amount, Json, ToolDescription } from '../loop/index.ts'

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: Json
  /** Why the arguments cannot be used. The tool is not called; the chat model gets this text. */
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
      /** The message in the provider's own format; read only by the chat model that created it. */
      readonly raw?: unknown
    }
  | { readonly role: 'results'; readonly results: readonly CallResult[] }

/** Why a reply ended. */
export type Stop = 'end' | 'calls' | 'length' | 'refused' | 'failed'

export interface ChatRequest {
  readonly system: string
  readonly messages: readonly Message[]
  /**
   * The remaining budget, and what to do about it. It comes last and is not kept, so what precedes
   * it stays the same.
   */
  readonly status?: string
  readonly tools: readonly ToolDescription[]
  /** False: the tools are listed, so that nothing before them changes, but must not be called. */
  readonly mayCall: boolean
  readonly turn: number
}

export interface Reply {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly stop: Stop
  readonly usage: Amount
  readonly raw?: unknown
  /** The conversation so far, if it had to be shortened. */
  readonly messages?: readonly Message[]
}

/** Contract: it ends at once when the signal aborts, with its spending settled. */
export interface ChatModel {
  answer(ask: ChatRequest, context: AgentContext): Promise<Reply>
}
