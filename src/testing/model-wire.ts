/**
 * The wire formats of model APIs, from the server's side: Anthropic Messages, OpenAI Chat Completions,
 * OpenAI Responses and Gemini. What a client sent is read into one shape, and one answer is written in
 * whichever format it asked, as one piece or as a stream of events.
 */

import type { Json } from '../loop/index.ts'

export type ModelFormat = 'anthropic' | 'chat' | 'responses' | 'gemini'

/** What the scripted model says. */
export interface ModelSpeech {
  readonly text?: string
  readonly calls?: readonly ModelSpeechCall[]
  readonly stop?: 'end' | 'length' | 'refused'
  readonly usage?: {
    readonly input?: number
    readonly output?: number
    readonly cacheRead?: number
  }
}

export interface ModelSpeechCall {
  readonly name: string
  readonly args?: Json
  /** Sent as the arguments as it is, valid JSON or not. Gemini has no place for it. */
  readonly rawArgs?: string
}

export interface Wire {
  /** The whole answer. */
  readonly body: Json
  /** The same as a stream: pairs of event name and data. */
  readonly events: readonly (readonly [name: string | undefined, data: Json])[]
}

interface Said {
  readonly text: string
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
    calls,
    stop,
    input,
    output,
    cacheRead,
    model,
    number,
  }
  return writers[format](said)
}

const writers: Readonly<Record<ModelFormat, (said: Said) => Wire>> = {
  anthropic,
  chat,
  responses,
  gemini,
}

function anthropic(said: Said): Wire {
  const { text, calls, input, output, cacheRead, model, number } = said
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
  const texts = text === '' ? [] : [{ start: { type: 'text', text: '' }, delta: textDelta(text) }]
  const uses = calls.map(({ id, name, args }) => ({
    start: { type: 'tool_use', id, name, input: {} },
    delta: { type: 'input_json_delta', partial_json: args },
  }))
  const content = [...texts, ...uses].flatMap(({ start, delta }, index) => [
    { type: 'content_block_start', index, content_block: start },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ])
  const begun = { ...message, content: [], stop_reason: null, stop_sequence: null, usage }
  const events = [
    { type: 'message_start', message: begun },
    ...content,
    { type: 'message_delta', delta: end, usage: { output_tokens: output } },
    { type: 'message_stop' },
  ]
  return {
    body: { ...message, content: blocks, ...end, usage },
    events: events.map((event) => [event.type, event]),
  }
}

const textDelta = (text: string): Json => ({ type: 'text_delta', text })

function chat(said: Said): Wire {
  const { text, calls, input, output, cacheRead, model, number } = said
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
    events: [
      [undefined, chunk({ role: 'assistant', content: text, ...some }, null)],
      [undefined, chunk({}, finish)],
      [undefined, { ...base, object: 'chat.completion.chunk', choices: [], usage }],
      [undefined, '[DONE]'],
    ],
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
  const events = [
    { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
    ...items.flatMap((item, index) => itemEvents(item, index, text)),
    { type: last, response: body },
  ]
  return { body, events: events.map((event) => [event.type, event]) }
}

function itemEvents(
  item: { readonly type: string; readonly id: string; readonly arguments?: string },
  index: number,
  text: string,
): readonly { readonly type: string; readonly [key: string]: Json }[] {
  const place = { item_id: item.id, output_index: index }
  const isCall = item.type === 'function_call'
  const empty = isCall ? { arguments: '' } : { content: [] }
  const added = { ...item, ...empty, status: 'in_progress' }
  const delta = isCall
    ? { type: 'response.function_call_arguments.delta', ...place, delta: item.arguments ?? '' }
    : { type: 'response.output_text.delta', ...place, content_index: 0, delta: text }
  return [
    { type: 'response.output_item.added', output_index: index, item: added },
    delta,
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
  const body = {
    candidates: [{ content: { role: 'model', parts }, finishReason: stops[said.stop], index: 0 }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
      cachedContentTokenCount: cacheRead,
    },
    modelVersion: model,
    responseId: `r${number}`,
  }
  return { body, events: [[undefined, body]] }
}

function readable(args: string): Json {
  try {
    return JSON.parse(args) as Json
  } catch {
    return {}
  }
}
