/**
 * A scripted model API on loopback, in the real wire formats: tests of agents use it instead of a
 * provider. It can also fail as providers do.
 *
 * Answers are used in order, regardless of the client; the last one repeats. Every request is recorded.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../loop/index.ts'
import { type ModelFormat, type ModelSpeech, toWire, type WireEvent } from './model-wire.ts'
import { type StreamFault, writeEvents } from './stream-fault.ts'

/** What the model server answers: a reply, a refusal, or trouble. */
export type ModelAnswer =
  | (ModelSpeech & { readonly fault?: StreamFault })
  | ModelRefusal
  | ModelTrouble

/** An HTTP error: 429, 500, 401, 400… */
export interface ModelRefusal {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly message?: string
  /** As the provider names the kind of error. */
  readonly code?: string
}

/**
 * `hang`: accepts the request and never answers. `cut`: the connection breaks in the middle of the
 * answer. `garbage`: an invalid answer with status 200. `flood`: an endless answer. `redirect`: sends
 * the client elsewhere.
 */
export interface ModelTrouble {
  readonly does: 'hang' | 'cut' | 'garbage' | 'flood' | 'redirect'
}

/** A request that the model server received. */
export interface ModelRequest {
  readonly format: ModelFormat
  readonly model: string
  readonly streamed: boolean
  /** Names of the tools it was offered. */
  readonly tools: readonly string[]
  readonly body: { readonly [key: string]: Json }
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** What the model server counted for one request. */
export interface ModelBill {
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
}

/** What the model server answers to each request: a list, or a function. */
export type ModelScript =
  | readonly ModelAnswer[]
  | ((request: ModelRequest, number: number) => ModelAnswer | Promise<ModelAnswer>)

/** A model server for tests, on loopback. */
export interface ModelServer extends AsyncDisposable {
  /** The base URL for any of the providers' clients. */
  readonly url: string
  readonly requests: readonly ModelRequest[]
  /**
   * What each request used, in order, as a provider would bill it: nothing for refusals; for an
   * answer that broke off, the input and what was written until then.
   */
  readonly bills: readonly ModelBill[]
  close(): Promise<void>
}

const bodyBytesMax = 64 * 1024 * 1024

/** Starts a model server on loopback that answers according to its script. */
export async function startModelServer(script: ModelScript): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  const bills: ModelBill[] = []
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { error: { message: String(error) } })
    })
  })

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isCount(incoming)) {
      await readBody(incoming)
      return sendJson(response, 200, { input_tokens: 100, totalTokens: 100 })
    }
    const request = readRequest(incoming, await readBody(incoming))
    if (request === undefined) {
      return sendJson(response, 404, { error: { message: 'This is not a model API.' } })
    }
    const number = requests.push(request)
    const nothing = { model: request.model, input: 0, output: 0, cacheRead: 0 }
    bills.push(nothing)
    const next =
      typeof script === 'function'
        ? await script(request, number)
        : script[Math.min(number, script.length) - 1]
    if (next === undefined) throw new Error('The script of the model server is empty.')
    if (!('status' in next || 'does' in next)) {
      const { input = 100, output = 20, cacheRead = 0 } = next.usage ?? {}
      bills[number - 1] = { model: request.model, input, output, cacheRead }
    }
    const made = await reply(response, request, next, number)
    const bill = bills[number - 1] ?? nothing
    bills[number - 1] = { ...bill, output: Math.floor(bill.output * made) }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    await closed
  }
  const url = `http://127.0.0.1:${port}/v1`
  return { url, requests, bills, close, [Symbol.asyncDispose]: close }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new Error('The request is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const places: readonly (readonly [RegExp, ModelFormat])[] = [
  [/\/messages(?:\?|$)/, 'anthropic'],
  [/\/chat\/completions(?:\?|$)/, 'chat'],
  [/\/responses(?:\?|$)/, 'responses'],
  [/:(?:generateContent|streamGenerateContent)(?:\?|$)/, 'gemini'],
]

/** A request to count tokens: free, and not part of the script. */
const isCount = ({ url = '', method }: IncomingMessage): boolean =>
  method === 'POST' && /(?:\/messages\/count_tokens|:countTokens)(?:\?|$)/.test(url)

function readRequest(incoming: IncomingMessage, text: string): ModelRequest | undefined {
  const { url = '', method, headers } = incoming
  const format = places.find(([place]) => place.test(url))?.[1]
  if (format === undefined || method !== 'POST') return undefined
  const body = JSON.parse(text) as ModelRequest['body']
  const model = format === 'gemini' ? /models\/([^:]+):/.exec(url)?.[1] : body['model']
  return {
    format,
    model: typeof model === 'string' ? model : '',
    streamed: body['stream'] === true || url.includes(':streamGenerateContent'),
    tools: toolNames(body['tools']),
    body,
    headers,
  }
}

/** The four formats nest them differently. */
function toolNames(tools: Json | undefined): readonly string[] {
  if (!Array.isArray(tools)) return []
  return (tools as readonly Json[]).flatMap((tool): readonly string[] => {
    if (typeof tool !== 'object' || tool === null || Array.isArray(tool)) return []
    const { name, function: inner, functionDeclarations } = tool as Record<string, Json>
    if (functionDeclarations !== undefined) return toolNames(functionDeclarations)
    if (inner !== undefined) return toolNames([inner])
    return typeof name === 'string' ? [name] : []
  })
}

/** Returns the share of the output that was written. */
async function reply(
  response: ServerResponse,
  request: ModelRequest,
  answer: ModelAnswer,
  number: number,
): Promise<number> {
  if ('status' in answer) refuse(response, request.format, answer)
  else if ('does' in answer) makeTrouble(response, request, answer)
  else {
    const { body, events } = toWire(request.format, answer, request.model, number)
    if (request.streamed) return stream(response, events, answer.fault)
    sendJson(response, 200, body)
  }
  return 1
}

async function stream(
  response: ServerResponse,
  events: readonly WireEvent[],
  fault: StreamFault | undefined,
): Promise<number> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const written = events.map(({ name, data }) => {
    const head = name === undefined ? '' : `event: ${name}\n`
    return `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
  })
  const count = await writeEvents(response, written, fault)
  return count >= events.length ? 1 : (events[count - 1]?.made ?? 0)
}

function refuse(response: ServerResponse, format: ModelFormat, refusal: ModelRefusal): void {
  const { status, headers = {}, message = `scripted ${status}`, code = 'scripted_error' } = refusal
  const error =
    format === 'gemini'
      ? { code: status, message, status: code }
      : { type: code, code, message, param: null }
  sendJson(response, status, { type: 'error', error }, headers)
}

function makeTrouble(
  response: ServerResponse,
  { streamed }: ModelRequest,
  { does }: ModelTrouble,
): void {
  if (does === 'hang') return
  if (does === 'redirect') {
    response.writeHead(307, { location: '/v1/elsewhere' }).end()
    return
  }
  const type = streamed ? 'text/event-stream' : 'application/json'
  if (does === 'garbage') {
    response.writeHead(200, { 'content-type': type })
    response.end(streamed ? 'data: {not json}\n\n' : '<html>Bad gateway</html>')
    return
  }
  if (does === 'flood') {
    response.writeHead(200, { 'content-type': type })
    return flood(response)
  }
  response.writeHead(200, { 'content-type': type, 'content-length': '100000' })
  response.write(streamed ? 'event: message_start\ndata: {"type":"mess' : '{"id":"half')
  setTimeout(() => response.destroy(), 5)
}

function flood(response: ServerResponse): void {
  const piece = 'data: '.padEnd(256 * 1024, 'x')
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  }
  response.on('drain', more)
  more()
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
