import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Host } from '../../host/host.ts'
import { openStore } from '../../journal/index.ts'
import type { RunId } from '../../loop/index.ts'
import { type WrittenRun, writeRun } from '../../testing/write-run.ts'
import { endStreams, streamRunEvents, streamStoreEvents } from './index.ts'
import { sseResponse } from './sse-response.ts'

let host: Pick<Host, 'journal' | 'blobs'>
let app: Hono
let reads: number

beforeEach(() => {
  const opened = openStore({ path: ':memory:' })
  reads = 0
  const journal = {
    ...opened,
    readTexts: (...given: Parameters<typeof opened.readTexts>) => {
      reads++
      return opened.readTexts(...given)
    },
  }
  host = { journal, blobs: undefined as never }
  app = new Hono()
  app.get('/events', (c) => streamStoreEvents(c, { host }))
  app.get('/:run', (c) => streamRunEvents(c, { host }, c.req.param('run') as RunId))
})

afterEach(async () => {
  endStreams(host)
  await host.journal.close()
})

const say = (message: string) => ({ type: 'warning', code: 'x', message }) as const
const end = { type: 'run-ended', outcome: { type: 'completed', condition: 'x' } } as const

async function newRun(name: string): Promise<WrittenRun> {
  const written = await writeRun(host.journal, { name })
  await written.take()
  return written
}

interface Client {
  /** The ids of this many messages. */
  ids(count: number): Promise<readonly number[]>
  /** Everything until the stream ends. */
  rest(): Promise<readonly number[]>
  leave(): Promise<void>
}

async function connect(path: string, lastId?: number): Promise<Client> {
  const headers = lastId === undefined ? {} : { 'last-event-id': `${lastId}` }
  const response = await app.request(path, { headers })
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const found: number[] = []
  const take = async (isEnough: () => boolean): Promise<readonly number[]> => {
    while (!isEnough()) {
      const piece = await reader?.read()
      if (piece === undefined || piece.done) break
      text += decoder.decode(piece.value, { stream: true })
      const messages = text.split('\n\n')
      text = messages.pop() ?? ''
      found.push(...messages.flatMap((one) => /^id: (\d+)$/m.exec(one)?.[1] ?? []).map(Number))
    }
    return found
  }
  return {
    ids: (count) => take(() => found.length >= count),
    rest: () => take(() => false),
    leave: async () => reader?.cancel(),
  }
}

describe('a stream of events', () => {
  test('sends existing events, then new ones, and ends with the run', async () => {
    const { run, write } = await newRun('told')
    await write(say('1'), say('2'))
    const client = await connect(`/${run}`)
    expect(await client.ids(3)).toEqual([1, 2, 3])
    const rest = client.rest()
    await write(say('3'))
    await write(end)
    expect(await rest).toEqual([1, 2, 3, 4, 5])
    const again = await app.request(`/${run}`, { headers: { 'last-event-id': '5' } })
    expect(again.status).toBe(204)
  })

  test('continues where a client stopped, with no gaps or duplicates', async () => {
    const { run, write } = await newRun('dropped')
    const seen: number[] = []
    const writing = (async () => {
      for (let n = 0; n < 200; n++) await write(say('x'.repeat(2000)))
      await write(end)
    })()
    for (let isOver = false; !isOver; ) {
      const response = await app.request(`/${run}`, {
        headers: { 'last-event-id': `${seen.at(-1) ?? 0}` },
      })
      isOver = response.status === 204
      if (isOver) break
      await response.body?.cancel()
      const client = await connect(`/${run}`, seen.at(-1) ?? 0)
      seen.push(...(await client.ids(1)))
      await client.leave()
    }
    await writing
    expect(seen).toEqual(Array.from({ length: 202 }, (_, index) => index + 1))
  })

  test('contains everything that happened since the last follower left', async () => {
    const [left, other] = [await newRun('left'), await newRun('other')]
    // Followed throughout, so that the store is watched.
    const watcher = await connect(`/${other.run}`)
    await other.write(say('watched'))
    await watcher.ids(2)
    const before = await connect(`/${left.run}`)
    await before.ids(1)
    reads = 0
    const more = before.rest()
    await vi.waitUntil(() => reads > 0)
    await before.leave()
    expect(await more).toEqual([1])
    await left.write(say('meanwhile'), end)
    const after = await connect(`/${left.run}`)
    expect(await after.ids(3)).toEqual([1, 2, 3])
    await watcher.leave()
  })

  test('of all runs is in the order of the store', async () => {
    const [first, second] = [await newRun('a'), await newRun('b')]
    const client = await connect('/events')
    await client.ids(2)
    await first.write(say('1'))
    await second.write(say('2'))
    await first.write(end)
    expect(await client.ids(5)).toEqual([1, 2, 3, 4, 5])
    await client.leave()
  })

  test('D1, D2: clients at the same position share reads, and others cause none', async () => {
    const [busy, idle] = [await newRun('busy'), await newRun('idle')]
    const clients = await Promise.all(
      [...Array.from({ length: 50 }, () => busy.run), idle.run].map((run) => connect(`/${run}`)),
    )
    await Promise.all(clients.map((client) => client.ids(1)))
    const all = clients.slice(0, 50).map((client) => client.ids(2))
    await new Promise((resolve) => setImmediate(resolve))
    reads = 0
    await busy.write(say('for all'))
    await Promise.all(all)
    expect(reads).toBeLessThan(10)
    for (const client of clients) await client.leave()
  })

  test('D3: reads nothing for a client that does not read', async () => {
    const { run, write } = await newRun('long')
    for (let n = 0; n < 40; n++) await write(say('x'.repeat(30_000)))
    await write(end)
    reads = 0
    const client = await connect(`/${run}`)
    await client.ids(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(reads).toBeLessThanOrEqual(2)
    expect((await client.rest()).length).toBe(42)
  })

  test('D4: ends when the daemon does', async () => {
    const { run } = await newRun('stopped')
    const client = await connect(`/${run}`)
    await client.ids(1)
    const rest = client.rest()
    endStreams(host)
    expect(await rest).toEqual([1])
  })

  test.each(['x', '-1', '1.5', '9'.repeat(20)])('refuses the position %s', async (place) => {
    const { run } = await newRun('asked')
    app.onError((error, c) => c.text((error as { code?: string }).code ?? '', 400))
    const answer = await app.request(`/${run}`, { headers: { 'last-event-id': place } })
    expect(await answer.text()).toBe('bad-request')
  })
})

test('an idle stream gets heartbeats', async () => {
  const ended = new AbortController()
  const source = {
    next: async (signal: AbortSignal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return 'later' as const
    },
    close: () => undefined,
  }
  const reader = sseResponse(source, { ended: ended.signal, beatMs: 5 }).body?.getReader()
  await reader?.read()
  const piece = await reader?.read()
  expect(new TextDecoder().decode(piece?.value)).toBe(': beat\n\n')
  ended.abort()
  expect((await reader?.read())?.done).toBe(true)
})
