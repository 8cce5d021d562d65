import { expect, test } from 'vitest'
import { LoopError } from '../loop/index.ts'
import { type Break, followStream } from './follow.ts'
import { GoneError } from './transport.ts'

/** What a connection brings, in turn: messages by their numbers, then its end or a break. */
type Scene =
  | { readonly ids: readonly number[]; readonly ends: 'end' | 'break' }
  | 'refused'
  | 'over'

async function play(scenes: readonly Scene[], after = '0') {
  const left = [...scenes]
  const opened: string[] = []
  const waits: number[] = []
  const breaks: Break[] = []
  const heard: string[] = []
  const following = followStream({
    after,
    async open(lastId) {
      opened.push(lastId)
      const scene = left.shift()
      if (scene === undefined || scene === 'over') return undefined
      if (scene === 'refused') throw new GoneError('nobody is there')
      return bodyOf(scene)
    },
    isOver: async () => left.length === 0,
    onBreak: (broken) => breaks.push(broken),
    sleep: async (ms) => void waits.push(ms),
  })
  for await (const { data } of following) heard.push(data)
  return { heard, opened, waits, breaks }
}

async function* bodyOf({ ids, ends }: Exclude<Scene, string>): AsyncGenerator<Uint8Array> {
  for (const id of ids) yield Buffer.from(`id: ${id}\ndata: ${id}\n\n`)
  if (ends === 'break') throw new Error('read ECONNRESET')
}

test('after a break it goes on after the last message, without gap or double', async () => {
  const { heard, opened, breaks } = await play([
    { ids: [1, 2], ends: 'break' },
    // A daemon that begins too early is not believed.
    { ids: [2, 3], ends: 'end' },
    { ids: [4], ends: 'end' },
  ])
  expect(heard).toEqual(['1', '2', '3', '4'])
  expect(opened).toEqual(['0', '2', '3'])
  expect(breaks.map(({ retryInMs }) => retryInMs)).toEqual([1000, undefined])
})

test('it waits a little longer while nobody answers, 2 seconds at most, and anew after an answer', async () => {
  const away: readonly Scene[] = Array.from({ length: 7 }, () => 'refused')
  const { waits } = await play([...away, { ids: [1], ends: 'break' }, 'refused', 'over'])
  expect(waits).toEqual([1000, 2000, 2000, 2000, 2000, 2000, 2000, 1000, 2000])
})

test('what the daemon refuses is not tried again', async () => {
  const refusing = followStream({
    after: '0',
    open: () => Promise.reject(new LoopError('unknown-run', 'There is no such run.')),
    isOver: async () => false,
    sleep: () => expect.fail('it waits for nothing'),
  })
  await expect(refusing.next()).rejects.toMatchObject({ code: 'unknown-run' })
})
