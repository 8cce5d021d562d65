/**
 * An answer on its way from the provider to the client: as fast as both of them go, no faster than the
 * slower one, and not without end.
 *
 * E9. A stream without a whole event for a while is cut, however many bytes drip; so is a client that
 *     does not read.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { type AnswerReading, type AnswerWatch, watchAnswer } from './answer-watch.ts'
import { toClient } from './headers.ts'
import type { GatewayLimits } from './limits.ts'
import { type Refusal, refusalEvent } from './refusal.ts'
import type { WireFormat } from './route.ts'
import type { ClientMask } from './secrets.ts'

export interface Relayed {
  readonly ended: AnswerEnd
  readonly reading: AnswerReading
  readonly isStream: boolean
  readonly bytes: Buffer
  /** Not all of it was kept. */
  readonly isTruncated: boolean
}

/**
 * `failed`: the provider said so within the stream. `no-stop`: it ended without saying that this is all.
 * `cut`: the connection broke. `idle` and `too-slow`: it was cut here.
 */
export type AnswerEnd =
  | 'complete'
  | 'failed'
  | 'malformed'
  | 'no-stop'
  | 'cut'
  | 'idle'
  | 'too-slow'
  | 'client-gone'

export interface RelayOptions {
  readonly answer: IncomingMessage
  /** Its bytes, decoded. */
  readonly content: Readable
  readonly client: ServerResponse
  readonly format: WireFormat
  readonly mask: ClientMask
  readonly limits: GatewayLimits
}

export async function relayAnswer(options: RelayOptions): Promise<Relayed> {
  const { answer, content, client, format, mask, limits } = options
  const isStream = /^text\/event-stream\b/i.test(answer.headers['content-type'] ?? '')
  const watch = watchAnswer(format, isStream)
  const kept = keepUpTo(limits.recordBytesMax)
  const masked = mask.stream()
  const timers = startTimers(answer, limits)
  const { 'content-length': length, ...headers } = toClient(answer.headers, mask)
  // An event may be added at the end of a stream, so it has no length.
  const hasLength = !isStream && content === answer && length !== undefined
  client.writeHead(
    answer.statusCode ?? 200,
    hasLength ? { ...headers, 'content-length': length } : headers,
  )
  client.flushHeaders()
  let broken: AnswerEnd | undefined
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      if (watch.push(chunk) && isStream) timers.progressed()
      kept.add(chunk)
      await write(client, masked.push(chunk), timers, limits.clientStallMs)
    }
  } catch {
    broken = timers.fired() ?? (client.destroyed ? 'client-gone' : 'cut')
  }
  timers.stop()
  watch.end()
  const ended = broken ?? endOf(watch.reading)
  finishAnswer({ client, format, ended, watch, isStream, rest: masked.end() })
  return { ended, reading: watch.reading, isStream, ...kept.all() }
}

function endOf({ isMalformed, error, hasStop }: AnswerReading): AnswerEnd {
  if (error !== undefined) return 'failed'
  if (isMalformed) return 'malformed'
  return hasStop ? 'complete' : 'no-stop'
}

/** What the client gets at the end: one more event, nothing, or a broken connection. */
function endingOf(
  format: WireFormat,
  ended: AnswerEnd,
  watch: AnswerWatch,
  isStream: boolean,
): string | undefined {
  if (ended === 'complete' || ended === 'failed') return ''
  const isWhole = ended === 'malformed' || ended === 'no-stop'
  if (!isStream) return isWhole ? '' : undefined
  if (watch.reading.hasStop && isWhole) return ''
  return watch.isAtBoundary ? refusalEvent(format, brokenOff(ended)) : undefined
}

function brokenOff(ended: AnswerEnd): Refusal {
  const whats: Readonly<Partial<Record<AnswerEnd, string>>> = {
    idle: 'The provider went silent in the middle of its answer.',
    'too-slow': 'The answer of the provider took too long.',
    'no-stop': 'The answer of the provider ended before its end.',
    malformed: 'The answer of the provider is not readable.',
  }
  const message = `${whats[ended] ?? 'The provider broke its answer off.'} Ask again.`
  return { status: 502, kind: 'unavailable', message }
}

export function finishAnswer(answer: {
  readonly client: ServerResponse
  readonly format: WireFormat
  readonly ended: AnswerEnd
  readonly watch: AnswerWatch
  readonly isStream: boolean
  /** What is still to be written. */
  readonly rest: Buffer
}): void {
  const { client, format, ended, watch, isStream, rest } = answer
  if (client.destroyed) return
  const ending = endingOf(format, ended, watch, isStream)
  if (rest.length > 0) client.write(rest)
  if (ending !== undefined) client.end(ending)
  // What was written is still to leave before the connection breaks.
  else client.socket?.destroySoon()
}

async function write(
  client: ServerResponse,
  bytes: Buffer,
  timers: Timers,
  stallMs: number,
): Promise<void> {
  if (client.destroyed) throw new Error('The client is gone.')
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
  throw new Error('The client does not read.')
}

interface Timers {
  progressed(): void
  paused(): void
  fired(): 'idle' | 'too-slow' | undefined
  stop(): void
}

function startTimers(answer: IncomingMessage, { idleMs, totalMs }: GatewayLimits): Timers {
  let fired: 'idle' | 'too-slow' | undefined
  const cut = (why: 'idle' | 'too-slow') => (): void => {
    fired = why
    answer.destroy(new Error('cut'))
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

function keepUpTo(bytesMax: number): {
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
