import { expect, test } from 'vitest'
import type { Host } from '../../host/host.ts'
import { openStore } from '../../journal/index.ts'
import { writeRun } from '../../testing/write-run.ts'
import { createLocalScheduler } from './local-scheduler.ts'

test('without a daemon, the queue lists runs that wait for one, and how to start it', async () => {
  const journal = openStore({ path: ':memory:' })
  const starter = createLocalScheduler({ journal } as unknown as Host, {
    signal: new AbortController().signal,
    onLine: () => undefined,
    onProblem: () => undefined,
  })
  expect(await starter.queue()).toEqual([])
  const row = { priority: 0, queuedAtMs: 1, request: {}, tries: 0 }
  const waiting = await writeRun(journal, { name: 'brave-otter' })
  const driven = await writeRun(journal, { name: 'calm-fox' })
  await driven.take()
  for (const { run } of [waiting, driven]) await journal.queue.put(run, row)
  expect(await starter.queue()).toMatchObject([
    { name: 'brave-otter', state: 'queued', why: 'waiting for a daemon: loopctl daemon start' },
    { name: 'calm-fox', state: 'driven' },
  ])
})
