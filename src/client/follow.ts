/**
 * A stream that continues after a lost connection. Each message has an id, and a new connection sends
 * the last id that was received, so nothing is missed and nothing comes twice, even if the daemon was
 * restarted. It waits 1, then 2 seconds between attempts, because a user is watching.
 */

import { isLoopError } from '../loop/index.ts'
import { createMessageReader, type Message } from './sse.ts'
import { DaemonGoneError } from './transport.ts'

export interface FollowOptions {
  /** The id to start after. */
  readonly after: string
  readonly signal?: AbortSignal | undefined
  /** Opens a connection after the given message. Undefined: the stream has ended. */
  open(
    lastId: string,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Whether the stream has ended; called when the daemon closes the connection. */
  isOver(): Promise<boolean>
  readonly onBreak?: ((broken: Break) => void) | undefined
  sleep?(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/** A stream that was interrupted, and when it is tried again. */
export interface Break {
  readonly why: string
  /** When it is retried; undefined: the connection is back. */
  readonly retryInMs?: number
}

const firstWaitMs = 1000
const longestWaitMs = 2000

export async function* followStream(options: FollowOptions): AsyncGenerator<Message> {
  const { signal, onBreak } = options
  const sleep = options.sleep ?? wait
  const isStopped = (): boolean => signal?.aborted === true
  let last = options.after
  let waitMs = firstWaitMs
  let isBroken = false
  while (!isStopped()) {
    try {
      const body = await options.open(last, signal)
      if (isBroken) onBreak?.({ why: 'back' })
      if (body === undefined) return
      isBroken = false
      waitMs = firstWaitMs
      for await (const message of messagesIn(body)) {
        // Never yields a message twice, whatever the daemon sends.
        if (Number(message.id) <= Number(last)) continue
        last = message.id ?? last
        yield message
      }
      if (await options.isOver()) return
    } catch (error) {
      if (isStopped()) return
      if (!isBreak(error)) throw error
      isBroken = true
      onBreak?.({ why: error instanceof Error ? error.message : String(error), retryInMs: waitMs })
    }
    await sleep(waitMs, signal)
    waitMs = Math.min(longestWaitMs, waitMs * 2)
  }
}

/** Faults that end when the daemon is back. A refusal would be refused again. */
const isBreak = (error: unknown): boolean => error instanceof DaemonGoneError || !isLoopError(error)

async function* messagesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Message> {
  const reader = createMessageReader()
  const decoder = new TextDecoder()
  for await (const part of body) yield* reader.add(decoder.decode(part, { stream: true }))
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}
