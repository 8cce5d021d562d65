/**
 * The wire formats of model APIs, from the server's side: Anthropic Messages, OpenAI Chat
 * Completions, OpenAI Responses and Gemini. A request is parsed into one shape, and an answer is
 * written in the format of the request, as one piece or as a stream of events.
 */

import type { Json } from '../loop/index.ts'

/** A wire format of model APIs. */
export type ModelFormat = 'anthropic' | 'chat' | 'responses' | 'gemini'

/** What the scripted model says. */
export interface ModelSpeech {
  readonly text?: string
  readonly calls?: readonly ModelSpeechCall[]
  readonly stop?: 'end' | 'length' | 'refused'
  /** False for servers that never report usage. */
  readonly saysUsage?: boolean
  /** The number of events that the text is streamed in. Default: 1. */
  readonly pieces?: number
  readonly usage?: {
    readonly input?: number
    readonly output?: number
    readonly cacheRead?: number
  }
}

/** A tool call in a reply of the model server. */
export interface ModelSpeechCall {
  readonly name: string
  readonly args?: Json
  /** Sent verbatim as the arguments, valid JSON or not. Gemini has no place for it. */
  readonly rawArgs?: string
}

export interface Wire {
  /** The whole answer. */
  readonly body: Json
  /** The same as a stream. */
  readonly events: readonly WireEvent[]
}

export interface WireEvent {
  readonly name?: string
  readonly data: Json
  /** The share of all output that was written by then, from 0 to 1. */
  readonly made: number
}

interface Said {
  readonly text: string
  /** The text as it is streamed. */
  readonly pieces: readonly string[]
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[]
  readonly stop: 'end' | 'calls' | 'length' | 'refused'
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly model: string
  readonly number: number
}

export function toWire(
  format: ModelFormat,
  speech: ModelSpeech,
  model: string,
  number: number,
): Wire {
  const calls = (speech.calls ?? []).map(({ name, args, rawArgs }, index) => ({
    id: `call_${number}_${index + 1}`,
    name,
    args: rawArgs ?? JSON.stringify(args ?? {}),
  }))
  const { input = 100, output = 20, cacheRead = 0 } = speech.usage ?? {}
  const stop: Said['stop'] = speech.stop ?? (calls.length > 0 ? 'calls' : 'end')
  const said: Said = {
    text: speech.text ?? '',
    pieces: inPieces(speech.text ?? '', speech.pieces ?? 1),
    calls,
    stop,
    input,
    output,
    cacheRead,
    model,
    number,
  }
  const wire = writers[format](said)
  return speech.saysUsage === false ? withoutUsage(wire) : wire
}

function withoutUsage({ body, events }: Wire): Wire {
  const without = (value: Json): Json =>
    JSON.parse(
      JSON.stringify(value, (name, inner: unknown) =>
        name === 'usage' || name === 'usageMetadata' ? undefined : inner,
      ),
    ) as Json
  return { body: without(body), events: events.map((one) => ({ ...one, data: without(one.data) })) }
}

/** Characters stay whole. */
function inPieces(text: string, count: number): readonly string[] {
  if (text === '' || count <= 1) return text === '' ? [] : [text]
  const characters = Array.from(text)
  const size = Math.max(1, Math.ceil(characters.length / Math.max(1, count)))
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}

/** An event, with the number of characters that the model has written for it. */
interface Written {
  readonly type: string
  readonly [name: string]: Json
}

const named = (events: readonly Written[]): readonly WireEvent[] =>
  withShares(
    events.map(({ chars = 0, ...data }) => ({ name: data.type, data, chars: Number(chars) })),
  )

/** Events with the share of the output that was written by then, in characters. */
function withShares(
  events: readonly { readonly name?: string; readonly data: Json; readonly chars?: number }[],
): readonly WireEvent[] {
  const all = events.reduce((sum, { chars = 0 }) => sum + chars, 0)
  let soFar = 0
  return events.map(({ name, data, chars = 0 }) => {
    soFar += chars
    const made = all === 0 ? 0 : soFar / all
    return name === undefined ? { data, made } : { name, data, made }
  })
}

const writers: Readonly<Record<ModelFormat, (said: Said) => Wire>> = {
  anthropic,
  chat,
  responses,
  gemini,
}

function anthropic(said: Said): Wire {
  const { text, pieces, calls, input, output, cacheRead, model, number } = said
  const stops = { end: 'end_turn', calls: 'tool_use', length: 'max_tokens', refused: 'refusal' }
  const usage = {
    input_tokens: input - cacheRead,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  }
  const message = { id: `msg_${number}`, type: 'message', role: 'assistant', model }
  const blocks = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: readable(args) })),
  ]
  const end = { stop_reason: stops[said.stop], stop_sequence: null }
  const texts =
    text === '' ? [] : [{ start: { type: 'text', text: '' }, deltas: pieces.map(textDelta) }]
  const uses = calls.map(({ id, name, args }) => ({
    start: { type: 'tool_use', id, name, input: {} },
    deltas: [{ chars: args.length, delta: { type: 'input_json_delta', partial_json: args } }],
  }))
  const content = [...texts, ...uses].flatMap(({ start, deltas }, index) => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map(({ chars, delta }) => ({ type: 'content_block_delta', index, delta, chars })),
    { type: 'content_block_stop', index },
  ])
  // The output length is not known when it begins.
  const first = { ...usage, output_tokens: Math.min(1, output) }
  const begun = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: first }
  const events: readonly Written[] = [
    { type: 'message_start', message: begun },
    ...content,
    { type: 'message_delta', delta: end, usage: { output_tokens: output } },
    { type: 'message_stop' },
  ]
  return {
    body: { ...message, content: blocks, ...end, usage },
    events: named(events),
  }
}

const textDelta = (text: string): { readonly chars: number; readonly delta: Json } => ({
  chars: text.length,
  delta: { type: 'text_delta', text },
})

function chat(said: Said): Wire {
  const { text, pieces, calls, input, output, cacheRead, model, number } = said
  const [first = '', ...more] = pieces
  const stops = { end: 'stop', calls: 'tool_calls', length: 'length', refused: 'content_filter' }
  const base = { id: `chatcmpl-${number}`, created: 1_750_000_000, model }
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  }
  const toolCalls = calls.map(({ id, name, args }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: args },
  }))
  const some = toolCalls.length === 0 ? {} : { tool_calls: toolCalls }
  const message = { role: 'assistant', content: text === '' ? null : text, ...some }
  const chunk = (delta: Json, finish: string | null): Json => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const finish = stops[said.stop]
  return {
    body: {
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
    },
    events: withShares([
      {
        data: chunk({ role: 'assistant', content: first, ...some }, null),
        chars: first.length + calls.reduce((sum, { args }) => sum + args.length, 0),
      },
      ...more.map((content) => ({ data: chunk({ content }, null), chars: content.length })),
      { data: chunk({}, finish) },
      { data: { ...base, object: 'chat.completion.chunk', choices: [], usage } },
      { data: '[DONE]' },
    ]),
  }
}

function responses(said: Said): Wire {
  const { text, calls, input, output, cacheRead, model, number } = said
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
  const texts = [{ type: 'output_text', text, annotations: [] }]
  const message = { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed' }
  const items = [
    ...(text === '' ? [] : [{ ...message, content: texts }]),
    ...calls.map(({ id, name, args }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: args,
      status: 'completed',
    })),
  ]
  const reasons = { length: 'max_output_tokens', refused: 'content_filter', end: '', calls: '' }
  const reason = reasons[said.stop]
  const base = { id: `resp_${number}`, object: 'response', created_at: 1_750_000_000, model }
  const body = {
    ...base,
    status: reason === '' ? 'completed' : 'incomplete',
    incomplete_details: reason === '' ? null : { reason },
    output: items,
    usage,
  }
  const last = reason === '' ? 'response.completed' : 'response.incomplete'
  const events: readonly Written[] = [
    { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
    ...items.flatMap((item, index) => itemEvents(item, index, said.pieces)),
    { type: last, response: body },
  ]
  return { body, events: named(events) }
}

function itemEvents(
  item: { readonly type: string; readonly id: string; readonly arguments?: string },
  index: number,
  pieces: readonly string[],
): readonly Written[] {
  const place = { item_id: item.id, output_index: index }
  const isCall = item.type === 'function_call'
  const empty = isCall ? { arguments: '' } : { content: [] }
  const added = { ...item, ...empty, status: 'in_progress' }
  const type = isCall ? 'response.function_call_arguments.delta' : 'response.output_text.delta'
  const where = isCall ? place : { ...place, content_index: 0 }
  const deltas = isCall ? [item.arguments ?? ''] : pieces
  return [
    { type: 'response.output_item.added', output_index: index, item: added },
    ...deltas.map((delta) => ({ type, ...where, delta, chars: delta.length })),
    { type: 'response.output_item.done', output_index: index, item: { ...item } },
  ]
}

function gemini(said: Said): Wire {
  const { text, calls, input, output, cacheRead, model, number } = said
  const stops = { end: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', refused: 'SAFETY' }
  const parts = [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ name, args }) => ({ functionCall: { name, args: readable(args) } })),
  ]
  const content = (
    some: readonly Json[],
    made: number,
    finish: object,
  ): { [key: string]: Json } => ({
    candidates: [{ content: { role: 'model', parts: some }, ...finish, index: 0 }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: made,
      totalTokenCount: input + made,
      cachedContentTokenCount: cacheRead,
    },
    modelVersion: model,
    responseId: `r${number}`,
  })
  const body = content(parts, output, { finishReason: stops[said.stop] })
  // All but the last chunk, which comes with the calls and the end.
  const early = said.pieces.slice(0, -1)
  const late = [{ text: said.pieces.at(-1) ?? '' }, ...parts.filter((one) => !('text' in one))]
  const last = early.length === 0 ? body : content(late, output, { finishReason: stops[said.stop] })
  const share = (count: number): number => Math.floor((output * count) / said.pieces.length)
  const events = withShares([
    ...early.map((piece, index) => ({
      data: content([{ text: piece }], share(index + 1), {}),
      chars: piece.length,
    })),
    { data: last, chars: Math.max(1, (said.pieces.at(-1) ?? '').length) },
  ])
  return { body, events }
}

function readable(args: string): Json {
  try {
    return JSON.parse(args) as Json
  } catch {
    return {}
  }
}
