import { expect, test } from 'vitest'
import type { RunAnswer } from '../protocol/api/index.ts'
import type { Client } from './client.ts'
import { connect } from './node/connect.ts'
import { steadyClient } from './steady-client.ts'
import { DaemonGoneError } from './transport.ts'

const nowhere = connect({ address: '127.0.0.1:1', token: 'x' })
const quick = { windowMs: 60_000, pauseMs: 1 }

function answering(keys: unknown[], answer: () => Promise<RunAnswer>): Client {
  return {
    ...nowhere,
    createRun: (_request, key) => {
      keys.push(key)
      return answer()
    },
  }
}

const accepted = async (): Promise<RunAnswer> => ({ run: { name: 'calm-otter' } }) as RunAnswer
const died = async (): Promise<RunAnswer> => {
  throw new DaemonGoneError('socket hang up')
}

test('retries a new run with the same key, with whatever daemon answers', async () => {
  const keys: unknown[] = []
  const next = [answering(keys, died), answering(keys, died), answering(keys, accepted)]
  const client = steadyClient(answering(keys, died), async () => next.shift() ?? nowhere, quick)
  expect(await client.createRun({ file: '/a.yaml' })).toEqual(await accepted())
  expect(keys).toHaveLength(4)
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
})

test('says that the run may exist when it gives up', async () => {
  const client = steadyClient(nowhere, async () => nowhere, { windowMs: 20, pauseMs: 1 })
  await expect(client.createRun({ file: '/a.yaml' })).rejects.toThrow(/accepted.*loopctl list/)
})

test('sends requests only once if they must not be repeated', async () => {
  const client = steadyClient(nowhere, async () => expect.unreachable(), quick)
  await expect(client.retry('calm-otter')).rejects.toBeInstanceOf(DaemonGoneError)
})
