import { expect, test } from 'vitest'
import type { Host } from '../host/host.ts'
import { openStore } from '../journal/index.ts'
import { writeRun } from '../testing/write-run.ts'
import { renderQueue } from './display/queue-view.ts'
import { recordRuns } from './record-runs.ts'

test('without a daemon the queue is what waits for one, with how to start it', async () => {
  const journal = openStore({ path: ':memory:' })
  const runs = recordRuns({ journal } as unknown as Host)
  const shown = async (): Promise<string> =>
    renderQueue(await runs.queue(), { live: false, width: () => 80 })
  expect(await shown()).toBe('No run is running or waiting.')
  const row = { priority: 0, queuedAtMs: 1, request: {}, tries: 0 }
  const waiting = await writeRun(journal, { name: 'brave-otter' })
  const driven = await writeRun(journal, { name: 'calm-fox' })
  await driven.take()
  for (const { run } of [waiting, driven]) await journal.queue.put(run, row)
  expect(await shown()).toMatch(/brave-otter +waits for a daemon: loopctl daemon start$/m)
  expect(await shown()).toMatch(/calm-fox +running$/m)
})
