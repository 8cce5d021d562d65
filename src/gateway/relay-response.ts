/**
 * Relays a response from the provider to the client, at the speed of the slower one and with time
 * limits.
 *
 * E9. A stream that completes no event for a while is cut off, however many bytes trickle in;
 *     so is a client that does not read.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { GatewayLimits } from './limits.ts'
import type { ClientMask } from './secrets/secrets.ts'
import { toClientHeaders } from './wire/headers.ts'
import { type Refusal, refusalEvent } from './wire/refusal.ts'
import type { WireFormat } from './wire/route.ts'
import { type ResponseReading, type ResponseWatch, watchResponse } from './wire/watch-response.ts'

export interface RelayedResponse {
  readonly ended: ResponseEnd
  readonly reading: ResponseReading
  readonly isStream: boolean
  readonly bytes: Buffer
  /** Only the start was kept. */
  readonly isTruncated: boolean
}

/**
 * `failed`: the provider reported an error in the stream. `no-stop`: the response ended without its
 * end marker. `cut`: the connection broke. `idle` and `too-slow`: the gateway cut the stream off.
 */
export type ResponseEnd =
  | 'complete'
  | 'failed'
  | 'malformed'
  | 'no-stop'
  | 'cut'
  | 'idle'
  | 'too-slow'
  | 'client-gone'

export interface RelayOptions {
  readonly response: IncomingMessage
  /** The decoded body. */
  readonly content: Readable
  readonly client: ServerResponse
  readonly format: WireFormat
  readonly mask: ClientMask
  readonly limits: GatewayLimits
}

export async function relayResponse(options: RelayOptions): Promise<RelayedResponse> {
  const { response, content, client, format, mask, limits } = options
  const isStream = /^text\/event-stream\b/i.test(response.headers['content-type'] ?? '')
  const watch = watchResponse(format, isStream)
  const recording = bufferUpTo(limits.recordBytesMax)
  const masked = mask.stream()
  const timers = startTimers(response, limits)
  const { 'content-length': length, ...headers } = toClientHeaders(response.headers, mask)
  // An event may be appended to a stream, so its length is not declared.
  const hasLength = !isStream && content === response && length !== undefined
  client.writeHead(
    response.statusCode ?? 200,
    hasLength ? { ...headers, 'content-length': length } : headers,
  )
  client.flushHeaders()
  let failure: ResponseEnd | undefined
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      if (watch.push(chunk) && isStream) timers.progressed()
      recording.add(chunk)
      await write(client, masked.push(chunk), timers, limits.clientStallMs)
    }
  } catch {
    failure = timers.fired() ?? (client.destroyed ? 'client-gone' : 'cut')
  }
  timers.stop()
  watch.end()
  const ended = failure ?? classifyEnd(watch.reading)
  finishResponse({ client, format, ended, watch, isStream, rest: masked.end() })
  return { ended, reading: watch.reading, isStream, ...recording.all() }
}

function classifyEnd({ isMalformed, error, hasStop }: ResponseReading): ResponseEnd {
  if (error !== undefined) return 'failed'
  if (isMalformed) return 'malformed'
  return hasStop ? 'complete' : 'no-stop'
}

/** What to send at the end: one more event, nothing, or (undefined) a broken connection. */
function findEnding(
  format: WireFormat,
  ended: ResponseEnd,
  watch: ResponseWatch,
  isStream: boolean,
): string | undefined {
  if (ended === 'complete' || ended === 'failed') return ''
  const isWhole = ended === 'malformed' || ended === 'no-stop'
  if (!isStream) return isWhole ? '' : undefined
  if (watch.reading.hasStop && isWhole) return ''
  return watch.isAtBoundary ? refusalEvent(format, toRefusal(ended)) : undefined
}

function toRefusal(ended: ResponseEnd): Refusal {
  const messages: Readonly<Partial<Record<ResponseEnd, string>>> = {
    idle: 'The provider stopped sending in the middle of its response.',
    'too-slow': 'The response of the provider took too long.',
    'no-stop': 'The response of the provider ended early.',
    malformed: 'The response of the provider is malformed.',
  }
  const message = `${messages[ended] ?? 'The connection to the provider broke.'} Retry.`
  return { status: 502, kind: 'unavailable', message }
}

export function finishResponse(response: {
  readonly client: ServerResponse
  readonly format: WireFormat
  readonly ended: ResponseEnd
  readonly watch: ResponseWatch
  readonly isStream: boolean
  /** Bytes that remain to be written. */
  readonly rest: Buffer
}): void {
  const { client, format, ended, watch, isStream, rest } = response
  if (client.destroyed) return
  const ending = findEnding(format, ended, watch, isStream)
  if (rest.length > 0) client.write(rest)
  if (ending !== undefined) client.end(ending)
  // Sends what was written before it breaks the connection.
  else client.socket?.destroySoon()
}

async function write(
  client: ServerResponse,
  bytes: Buffer,
  timers: Timers,
  stallMs: number,
): Promise<void> {
  if (client.destroyed) throw new Error('The client disconnected.')
  if (bytes.length === 0 || client.write(bytes)) return
  timers.paused()
  const drained = await new Promise<boolean>((resolve) => {
    const end = (value: boolean) => () => {
      clearTimeout(timer)
      client.off('drain', yes).off('close', no)
      resolve(value)
    }
    const yes = end(true)
    const no = end(false)
    const timer = setTimeout(no, stallMs)
    client.once('drain', yes).once('close', no)
  })
  timers.progressed()
  if (drained) return
  client.destroy()
  throw new Error('The client stopped reading.')
}

interface Timers {
  progressed(): void
  paused(): void
  fired(): 'idle' | 'too-slow' | undefined
  stop(): void
}

function startTimers(response: IncomingMessage, { idleMs, totalMs }: GatewayLimits): Timers {
  let fired: 'idle' | 'too-slow' | undefined
  const cut = (why: 'idle' | 'too-slow') => (): void => {
    fired = why
    response.destroy(new Error('cut'))
  }
  const total = setTimeout(cut('too-slow'), totalMs)
  let idle = setTimeout(cut('idle'), idleMs)
  let isPaused = false
  return {
    progressed() {
      if (!isPaused) {
        idle.refresh()
        return
      }
      isPaused = false
      idle = setTimeout(cut('idle'), idleMs)
    },
    paused() {
      isPaused = true
      clearTimeout(idle)
    },
    fired: () => fired,
    stop() {
      clearTimeout(total)
      clearTimeout(idle)
    },
  }
}

function bufferUpTo(bytesMax: number): {
  add(chunk: Buffer): void
  all(): { readonly bytes: Buffer; readonly isTruncated: boolean }
} {
  const chunks: Buffer[] = []
  let bytes = 0
  let isTruncated = false
  return {
    add(chunk) {
      if (bytes + chunk.length > bytesMax) isTruncated = true
      if (isTruncated) return
      chunks.push(chunk)
      bytes += chunk.length
    },
    all: () => ({ bytes: Buffer.concat(chunks), isTruncated }),
  }
}
