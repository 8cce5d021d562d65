/**
 * Tracks whose turn it is after a response: the agent's, because the model called tools, or no
 * one's, because the model is done. An agent that is still running long after the final response
 * can be stopped; one whose tools are running must not be.
 */

import type { WireFormat } from './route.ts'
import { part } from './usage.ts'

/** `other`: cut short, refused or broken. */
export type TurnEnd = 'final' | 'calls' | 'other'

/** What a response reports about the turn, collected while it passes through. */
export interface TurnReading {
  stop: TurnEnd | undefined
  /** Strings by which the results of its calls can be recognized. */
  readonly calls: string[]
}

export const emptyTurn = (): TurnReading => ({ stop: undefined, calls: [] })

const callsMax = 256

/** Reads one stream event, or a complete response. */
export function readTurn(format: WireFormat, value: unknown, turn: TurnReading): void {
  const { stop, calls } = readers[format](value)
  for (const call of calls) {
    const isNew = !turn.calls.includes(call) && turn.calls.length < callsMax
    if (isNew) turn.calls.push(call)
  }
  if (stop !== undefined) turn.stop = stop
}

interface TurnParts {
  readonly stop: TurnEnd | undefined
  readonly calls: readonly string[]
}

const nothing: TurnParts = { stop: undefined, calls: [] }

const readers: Readonly<Record<WireFormat, (value: unknown) => TurnParts>> = {
  anthropic(value) {
    // Most events of a stream are of this type.
    if (field(value, 'type') === 'content_block_delta') return nothing
    const started = part(value, 'content_block')
    const blocks = started === undefined ? list(value, 'content') : [started]
    const reason = field(part(value, 'delta'), 'stop_reason') ?? field(value, 'stop_reason')
    const uses = blocks.filter((block) => field(block, 'type') === 'tool_use')
    return { stop: toTurnEnd(reason, anthropicEnds), calls: ids(uses, 'id') }
  },
  chat(value) {
    const choices = list(value, 'choices')
    const messages = choices.map((choice) => part(choice, 'delta') ?? part(choice, 'message'))
    const uses = messages.flatMap((message) => list(message, 'tool_calls'))
    const [reason] = ids(choices, 'finish_reason')
    // Some servers send no ids, and some report `stop` anyway: a result has the role `tool`.
    const calls = uses.length === 0 ? [] : [...ids(uses, 'id'), '"tool"']
    return { stop: toTurnEnd(reason, chatEnds), calls }
  },
  responses(value) {
    const type = field(value, 'type')
    if (type?.endsWith('.delta') === true) return nothing
    // A complete response, or an event of its stream.
    const whole = part(value, 'response') ?? (type === undefined ? value : undefined)
    const item = type === 'response.output_item.done' ? part(value, 'item') : undefined
    const items = item === undefined ? list(whole, 'output') : [item]
    const uses = items.filter((one) =>
      /(?<!web_search|file_search|code_interpreter|mcp)_call$/.test(field(one, 'type') ?? ''),
    )
    return { stop: toTurnEnd(field(whole, 'status'), responsesEnds), calls: ids(uses, 'call_id') }
  },
  gemini(value) {
    const candidates = list(value, 'candidates')
    const parts = candidates.flatMap((one) => list(part(one, 'content'), 'parts'))
    const isCall = parts.some((one) => part(one, 'functionCall') !== undefined)
    const [reason] = ids(candidates, 'finishReason')
    // Gemini's calls need no ids: any result is one of theirs.
    return { stop: toTurnEnd(reason, geminiEnds), calls: isCall ? [geminiResult] : [] }
  },
}

const geminiResult = 'functionResponse'

type Ends = Readonly<Record<string, TurnEnd>>
const anthropicEnds: Ends = {
  end_turn: 'final',
  stop_sequence: 'final',
  tool_use: 'calls',
  pause_turn: 'calls',
}
const chatEnds: Ends = { stop: 'final', tool_calls: 'calls', function_call: 'calls' }
const responsesEnds: Ends = { completed: 'final' }
const geminiEnds: Ends = { STOP: 'final' }

function toTurnEnd(reason: string | undefined, ends: Ends): TurnEnd | undefined {
  if (reason === undefined || reason === 'in_progress' || reason === 'queued') return undefined
  return Object.hasOwn(ends, reason) ? ends[reason] : 'other'
}

function field(value: unknown, name: string): string | undefined {
  const found =
    typeof value === 'object' && value !== null ? (Reflect.get(value, name) as unknown) : undefined
  return typeof found === 'string' && found !== '' ? found : undefined
}

function list(value: unknown, name: string): readonly unknown[] {
  const found =
    typeof value === 'object' && value !== null ? (Reflect.get(value, name) as unknown) : undefined
  return Array.isArray(found) ? found : []
}

const ids = (values: readonly unknown[], name: string): readonly string[] =>
  values.flatMap((value) => field(value, name) ?? [])

/** The turns of all conversations in one session. */
export interface Turns {
  /** The results of calls are in the request after them. */
  asked(body: Buffer, offersTools: boolean): void
  answered(turn: TurnReading | undefined, offersTools: boolean): void
  /** Not `final` while the result of a call is missing. */
  readonly last: TurnEnd | undefined
}

const pendingCallsMax = 64
/** Results are at the end of a conversation, and searching for them takes time. */
const searchedBytes = 2 * 1024 * 1024

/**
 * Agents also make side requests, for a title or a summary. Once tools have been offered, only
 * requests that offer tools belong to the work itself, and nothing else ends it.
 */
export function createTurns(): Turns {
  const pendingCalls = new Set<string>()
  let hasTools = false
  let last: TurnEnd | undefined
  return {
    get last() {
      return last === 'final' && pendingCalls.size > 0 ? 'calls' : last
    },
    asked(body, offersTools) {
      hasTools ||= offersTools
      if (hasTools && !offersTools) return
      const end = body.subarray(-searchedBytes)
      for (const call of pendingCalls) {
        const hasReturned =
          end.includes(call) || (call === geminiResult && end.includes('function_response'))
        if (hasReturned) pendingCalls.delete(call)
      }
    },
    answered(turn, offersTools) {
      if (hasTools && !offersTools) return
      last = turn?.stop ?? 'other'
      if (turn === undefined || turn.stop === undefined || turn.stop === 'other') return
      if (turn.calls.length > 0) last = 'calls'
      for (const call of turn.calls) if (pendingCalls.size < pendingCallsMax) pendingCalls.add(call)
    },
  }
}
