/**
 * One end of the channel between a loop's process and ours: calls with an answer, and words without
 * one. Both ends are this.
 *
 * 1. Messages are served in the order in which they were sent.
 * 2. What comes in is bounded: the length of a message, the calls that are open.
 * 3. Where each message has a turn of its own, what code does with one is done before the next comes.
 */

import type { Duplex } from 'node:stream'
import { z } from 'zod'
import { FaultError, type Json, LoopError, textOf } from '../../loop/index.ts'
import { decodeError, encodeError } from './carried-error.ts'
import { createFrameReader, toFrame } from './frames.ts'

export interface Peer {
  call(name: string, args: Json): Promise<Json | undefined>
  tell(name: string, args: Json): void
  /** Whatever waits for an answer gets this instead; nothing is sent any more. */
  end(error: Error): void
  /** Calls that the other side has not answered. */
  readonly waiting: number
}

export interface PeerOptions {
  readonly channel: Duplex
  serve(name: string, args: Json): Promise<Json | undefined>
  hear(name: string, args: Json): void
  /** What goes along with each message, and where it goes. */
  attach?(): Json
  onAttached?(facts: Json): void
  /** The other side does not keep to the rules; it is not listened to any more. */
  onBroken(why: string): void
  readonly turns?: boolean
  readonly keep?: (error: unknown) => number
  readonly find?: (kept: number) => unknown
}

export const messageBytesMax: number = 32 * 1024 * 1024
const openCallsMax = 10_000
/** What may wait to be read by the other side. */
const unreadBytesMax = 256 * 1024 * 1024

/** Out of `JSON.parse`, so it is JSON or absent. */
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
  z.object({ type: z.literal('tell'), name: z.string().max(100), args: anything, facts: anything }),
])
type Message = z.infer<typeof message>

export function createPeer(options: PeerOptions): Peer {
  const { channel, serve, hear, keep, find } = options
  const waiting = createWaiting()
  let open = 0
  let ended: Error | undefined

  function send(draft: Message): void {
    if (ended !== undefined) throw ended
    const facts = options.attach?.()
    channel.write(toFrame(requireShort(facts === undefined ? draft : { ...draft, facts })))
    if (channel.writableLength > unreadBytesMax) broken('it does not read what it is sent')
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
      case 'tell':
        hear(received.name, received.args ?? null)
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
    tell(name, args) {
      if (ended === undefined) send({ type: 'tell', name, args })
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

function requireShort(sent: Message): string {
  const text = JSON.stringify(sent)
  // A character takes at most three bytes; most texts need not be measured.
  if (text.length * 3 <= messageBytesMax) return text
  const bytes = Buffer.byteLength(text)
  if (bytes > messageBytesMax) throw tooLong(bytes)
  return text
}

const tooLong = (bytes: number): LoopError =>
  new LoopError(
    'not-serialisable',
    `A value of ${Math.ceil(bytes / 2 ** 20)} MiB is too large to go between the loop's process and ours; the ` +
      `limit is ${messageBytesMax / 2 ** 20} MiB. Keep it with it.artifact and hand on its name.`,
  )
