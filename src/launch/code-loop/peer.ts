/**
 * One end of the channel between a loop's process and ours, for both sides: calls, which have a result, and
 * notices, which have none.
 *
 * 1. Messages are handled in the order in which they were sent.
 * 2. Input is limited: the length of a message, the number of open calls.
 * 3. With `turns`, code finishes its reaction to a message before the next one is handled.
 */

import type { Duplex } from 'node:stream'
import { z } from 'zod'
import { FaultError, type Json, LoopError, textOf } from '../../loop/index.ts'
import { decodeError, encodeError } from './error-codec.ts'
import { createFrameReader, toFrame } from './frames.ts'

export interface Peer {
  call(name: string, args: Json): Promise<Json | undefined>
  notify(name: string, args: Json): void
  /** Rejects all pending calls with this error; nothing is sent afterwards. */
  end(error: Error): void
  /** The number of pending calls. */
  readonly waiting: number
}

export interface PeerOptions {
  readonly channel: Duplex
  serve(name: string, args: Json): Promise<Json | undefined>
  handleNotice(name: string, args: Json): void
  /** Facts that are sent with each message. */
  attach?(): Json
  /** Receives the facts of the other side. */
  onAttached?(facts: Json): void
  /** The other side violated the protocol; its messages are ignored from then on. */
  onBroken(why: string): void
  /** Each message gets its own turn of the event loop. */
  readonly turns?: boolean
  readonly keep?: (error: unknown) => number
  readonly find?: (kept: number) => unknown
}

export const messageBytesMax: number = 32 * 1024 * 1024
const openCallsMax = 10_000
/** How much may be buffered for the other side. */
const unreadBytesMax = 256 * 1024 * 1024

/** A result of `JSON.parse`, so it is JSON or absent. */
const anything = (z.unknown() as z.ZodType<Json>).optional()
const message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('call'),
    id: z.int(),
    name: z.string().max(100),
    args: anything,
    facts: anything,
  }),
  z.object({ type: z.literal('return'), id: z.int(), value: anything, facts: anything }),
  z.object({ type: z.literal('throw'), id: z.int(), error: anything, facts: anything }),
  z.object({
    type: z.literal('notify'),
    name: z.string().max(100),
    args: anything,
    facts: anything,
  }),
])
type Message = z.infer<typeof message>

export function createPeer(options: PeerOptions): Peer {
  const { channel, serve, handleNotice, keep, find } = options
  const waiting = createWaiting()
  let open = 0
  let ended: Error | undefined

  function send(draft: Message): void {
    if (ended !== undefined) throw ended
    const facts = options.attach?.()
    channel.write(toFrame(serialize(facts === undefined ? draft : { ...draft, facts })))
    if (channel.writableLength > unreadBytesMax) broken('it does not read its messages')
  }

  function broken(why: string): void {
    if (ended !== undefined) return
    ended = new FaultError({ code: 'loop-misbehaved', message: why, retryable: false })
    options.onBroken(why)
  }

  async function answer(id: number, name: string, args: Json): Promise<void> {
    if (++open > openCallsMax) return broken(`it has over ${openCallsMax} calls open`)
    try {
      const value = await serve(name, args)
      send({ type: 'return', id, value })
    } catch (error) {
      if (ended === undefined) send({ type: 'throw', id, error: encodeError(error, keep) })
    } finally {
      open--
    }
  }

  function receive(text: string): void {
    if (ended !== undefined) return
    const received = parse(text)
    if (received === undefined) return broken('it sent a message that cannot be read')
    if (received.facts !== undefined) options.onAttached?.(received.facts)
    switch (received.type) {
      case 'call':
        void answer(received.id, received.name, received.args ?? null)
        return
      case 'notify':
        handleNotice(received.name, received.args ?? null)
        return
      case 'return':
        waiting.take(received.id)?.resolve(received.value)
        return
      case 'throw':
        waiting.take(received.id)?.reject(decodeError(received.error, find))
    }
  }

  listen(channel, options.turns === true, receive, broken)

  return {
    call: (name, args) => waiting.add((id) => send({ type: 'call', id, name, args })),
    notify(name, args) {
      if (ended === undefined) send({ type: 'notify', name, args })
    },
    end(error) {
      ended = error
      waiting.rejectAll(error)
    },
    get waiting() {
      return waiting.size
    },
  }
}

interface Waiter {
  readonly resolve: (value: Json | undefined) => void
  readonly reject: (error: unknown) => void
}

interface Waiting {
  add(send: (id: number) => void): Promise<Json | undefined>
  take(id: number): Waiter | undefined
  rejectAll(error: Error): void
  readonly size: number
}

function createWaiting(): Waiting {
  const waiters = new Map<number, Waiter>()
  let count = 0
  return {
    add: (send) =>
      new Promise((resolve, reject) => {
        const id = ++count
        waiters.set(id, { resolve, reject })
        try {
          send(id)
        } catch (error) {
          waiters.delete(id)
          reject(error)
        }
      }),
    take(id) {
      const found = waiters.get(id)
      waiters.delete(id)
      return found
    },
    rejectAll(error) {
      for (const { reject } of waiters.values()) reject(error)
      waiters.clear()
    },
    get size() {
      return waiters.size
    },
  }
}

function listen(
  channel: Duplex,
  turns: boolean,
  receive: (text: string) => void,
  broken: (why: string) => void,
): void {
  const reader = createFrameReader(messageBytesMax)
  const queue: string[] = []
  let serving = false

  function serveNext(): void {
    const next = queue.shift()
    serving = next !== undefined
    if (next === undefined) return
    setImmediate(serveNext)
    receive(next)
  }

  channel.on('data', (chunk: Buffer) => {
    try {
      const texts = reader.push(chunk)
      if (!turns) return texts.forEach(receive)
      queue.push(...texts)
      if (!serving) serveNext()
    } catch (error) {
      channel.destroy()
      broken(textOf(error))
    }
  })
}

function parse(text: string): Message | undefined {
  try {
    return message.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function serialize(sent: Message): string {
  const text = JSON.stringify(sent)
  // A character takes at most three bytes, so most texts need not be measured.
  if (text.length * 3 <= messageBytesMax) return text
  const bytes = Buffer.byteLength(text)
  if (bytes > messageBytesMax) throw createTooLongError(bytes)
  return text
}

const createTooLongError = (bytes: number): LoopError =>
  new LoopError(
    'not-serialisable',
    `A value of ${Math.ceil(bytes / 2 ** 20)} MiB is too large to pass between the loop's process and ours; the ` +
      `limit is ${messageBytesMax / 2 ** 20} MiB. Store it with it.artifact and pass on its name.`,
  )
