/**
 * A stream that goes on after a break, where it was: each message has an id, and the next connection
 * says the last one that was seen, so that nothing is missed and nothing comes twice, also when the
 * daemon was started anew in between. Between attempts it waits 1, then 2 seconds: somebody watches.
 */

import { isLoopError } from '../loop/index.ts'
import { createMessageReader, type Message } from './sse.ts'
import { GoneError } from './transport.ts'

export interface FollowOptions {
  /** The id after which it begins. */
  readonly after: string
  readonly signal?: AbortSignal | undefined
  /** Opens it anew, after a message that was seen. Undefined: there is no more. */
  open(
    lastId: string,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Whether there is no more, asked when the daemon ended the stream by itself. */
  isOver(): Promise<boolean>
  readonly onBreak?: ((broken: Break) => void) | undefined
  sleep?(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/** A stream that was interrupted, and when it is tried again. */
export interface Break {
  readonly why: string
  /** When it is tried again; undefined: it is back. */
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
        // Whatever the other side thinks was seen, nobody hears anything twice.
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

/** What passes when the daemon is back. What it refuses would be refused again. */
const isBreak = (error: unknown): boolean => error instanceof GoneError || !isLoopError(error)

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
