import { expect, test } from 'vitest'
import { LoopError } from '../loop/index.ts'
import { type Break, followStream } from './follow.ts'
import { DaemonGoneError } from './transport.ts'

/** What each connection delivers: message ids, then the end of the stream or a lost connection. */
type Scene =
  | { readonly ids: readonly number[]; readonly ends: 'end' | 'break' }
  | 'refused'
  | 'over'

async function play(scenes: readonly Scene[], after = '0') {
  const remaining = [...scenes]
  const opened: string[] = []
  const waits: number[] = []
  const breaks: Break[] = []
  const received: string[] = []
  const following = followStream({
    after,
    async open(lastId) {
      opened.push(lastId)
      const scene = remaining.shift()
      if (scene === undefined || scene === 'over') return undefined
      if (scene === 'refused') throw new DaemonGoneError('connection refused')
      return streamScene(scene)
    },
    isOver: async () => remaining.length === 0,
    onBreak: (broken) => breaks.push(broken),
    sleep: async (ms) => void waits.push(ms),
  })
  for await (const { data } of following) received.push(data)
  return { received, opened, waits, breaks }
}

async function* streamScene({ ids, ends }: Exclude<Scene, string>): AsyncGenerator<Uint8Array> {
  for (const id of ids) yield Buffer.from(`id: ${id}\ndata: ${id}\n\n`)
  if (ends === 'break') throw new Error('read ECONNRESET')
}

test('continues after the last message when the connection was lost, with no gaps or duplicates', async () => {
  const { received, opened, breaks } = await play([
    { ids: [1, 2], ends: 'break' },
    // Messages that were already received are dropped.
    { ids: [2, 3], ends: 'end' },
    { ids: [4], ends: 'end' },
  ])
  expect(received).toEqual(['1', '2', '3', '4'])
  expect(opened).toEqual(['0', '2', '3'])
  expect(breaks.map(({ retryInMs }) => retryInMs)).toEqual([1000, undefined])
})

test('waits longer between failed attempts, up to 2 seconds, and starts over after a success', async () => {
  const failures: readonly Scene[] = Array.from({ length: 7 }, () => 'refused')
  const { waits } = await play([...failures, { ids: [1], ends: 'break' }, 'refused', 'over'])
  expect(waits).toEqual([1000, 2000, 2000, 2000, 2000, 2000, 2000, 1000, 2000])
})

test('does not retry what the daemon refuses', async () => {
  const refusing = followStream({
    after: '0',
    open: () => Promise.reject(new LoopError('unknown-run', 'There is no such run.')),
    isOver: async () => false,
    sleep: () => expect.fail('there is nothing to wait for'),
  })
  await expect(refusing.next()).rejects.toMatchObject({ code: 'unknown-run' })
})
