/**
 * Whose turn it is after an answer: the agent's, because the model called tools, or nobody's, because
 * it is done. An agent that is still there long after the last word can be ended; one whose tools are
 * at work must not be.
 */

import type { WireFormat } from './route.ts'
import { part } from './usage.ts'

/** `other`: it was cut short, refused or broken. */
export type TurnEnd = 'final' | 'calls' | 'other'

/** What an answer says of it, gathered while it passes. */
export interface TurnReading {
  stop: TurnEnd | undefined
  /** What the results of its calls will be known by. */
  readonly calls: string[]
}

export const newTurn = (): TurnReading => ({ stop: undefined, calls: [] })

const callsMax = 256

/** From one event of a stream, or a whole answer. */
export function readTurn(format: WireFormat, value: unknown, turn: TurnReading): void {
  const { stop, calls } = readers[format](value)
  for (const call of calls) {
    const isNew = !turn.calls.includes(call) && turn.calls.length < callsMax
    if (isNew) turn.calls.push(call)
  }
  if (stop !== undefined) turn.stop = stop
}

interface Found {
  readonly stop: TurnEnd | undefined
  readonly calls: readonly string[]
}

const nothing: Found = { stop: undefined, calls: [] }

const readers: Readonly<Record<WireFormat, (value: unknown) => Found>> = {
  anthropic(value) {
    // Nearly all events of a stream are of these.
    if (field(value, 'type') === 'content_block_delta') return nothing
    const started = part(value, 'content_block')
    const blocks = started === undefined ? list(value, 'content') : [started]
    const reason = field(part(value, 'delta'), 'stop_reason') ?? field(value, 'stop_reason')
    const uses = blocks.filter((block) => field(block, 'type') === 'tool_use')
    return { stop: endBy(reason, anthropicEnds), calls: ids(uses, 'id') }
  },
  chat(value) {
    const choices = list(value, 'choices')
    const messages = choices.map((choice) => part(choice, 'delta') ?? part(choice, 'message'))
    const uses = messages.flatMap((message) => list(message, 'tool_calls'))
    const [reason] = ids(choices, 'finish_reason')
    // Some servers give no ids, and some say `stop` all the same: a result is one of the role `tool`.
    const calls = uses.length === 0 ? [] : [...ids(uses, 'id'), '"tool"']
    return { stop: endBy(reason, chatEnds), calls }
  },
  responses(value) {
    const type = field(value, 'type')
    if (type?.endsWith('.delta') === true) return nothing
    // The whole answer, or an event of its stream.
    const whole = part(value, 'response') ?? (type === undefined ? value : undefined)
    const item = type === 'response.output_item.done' ? part(value, 'item') : undefined
    const items = item === undefined ? list(whole, 'output') : [item]
    const uses = items.filter((one) =>
      /(?<!web_search|file_search|code_interpreter|mcp)_call$/.test(field(one, 'type') ?? ''),
    )
    return { stop: endBy(field(whole, 'status'), responsesEnds), calls: ids(uses, 'call_id') }
  },
  gemini(value) {
    const candidates = list(value, 'candidates')
    const parts = candidates.flatMap((one) => list(part(one, 'content'), 'parts'))
    const isCall = parts.some((one) => part(one, 'functionCall') !== undefined)
    const [reason] = ids(candidates, 'finishReason')
    // Its calls need no ids: any result is one of theirs.
    return { stop: endBy(reason, geminiEnds), calls: isCall ? [geminiResult] : [] }
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

function endBy(reason: string | undefined, ends: Ends): TurnEnd | undefined {
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

/** The turns of all conversations that go through one session. */
export interface Turns {
  /** Results of calls are in the question after them. */
  asked(body: Buffer, offersTools: boolean): void
  answered(turn: TurnReading | undefined, offersTools: boolean): void
  /** Not `final` while something that was called has not come back. */
  readonly last: TurnEnd | undefined
}

const waitingMax = 64
/** Results are at the end of a conversation, and looking for them takes time. */
const lookedThroughBytes = 2 * 1024 * 1024

/**
 * Agents ask besides: for a title, for a summary. Once tools were offered, only what offers tools is the
 * work itself, and nothing else ends it.
 */
export function createTurns(): Turns {
  const waiting = new Set<string>()
  let hasTools = false
  let last: TurnEnd | undefined
  return {
    get last() {
      return last === 'final' && waiting.size > 0 ? 'calls' : last
    },
    asked(body, offersTools) {
      hasTools ||= offersTools
      if (hasTools && !offersTools) return
      const end = body.subarray(-lookedThroughBytes)
      for (const call of waiting) {
        const isBack =
          end.includes(call) || (call === geminiResult && end.includes('function_response'))
        if (isBack) waiting.delete(call)
      }
    },
    answered(turn, offersTools) {
      if (hasTools && !offersTools) return
      last = turn?.stop ?? 'other'
      if (turn === undefined || turn.stop === undefined || turn.stop === 'other') return
      if (turn.calls.length > 0) last = 'calls'
      for (const call of turn.calls) if (waiting.size < waitingMax) waiting.add(call)
    },
  }
}
