// A small part of the proofs of reading, through the same code: F6, F8 and F15 against the real
// daemon.

import { expect, test } from 'vitest'
import { holdRecord, pinLog } from '../../build/proof/daemon-busy.js'
import { setClock } from '../../build/proof/daemon-clock.js'
import { dropStreams } from '../../build/proof/daemon-streams.js'

const note = (): void => undefined

// Whole daemons and runs: they are slow on a busy machine.
const timeout = 180_000

test('F15: clients with lost connections and slow clients get every event exactly once', {
  timeout,
}, async () => {
  const { problems, clients, reconnects } = await dropStreams({ scale: 0.02, note })
  expect(problems).toEqual([])
  expect(clients).toBeGreaterThanOrEqual(13)
  expect(reconnects).toBeGreaterThan(0)
})

test('F6: runs continue after another process locked the journal, and the daemon answers meanwhile', {
  timeout,
}, async () => {
  const { problems, heldMs } = await holdRecord({ scale: 0.02 })
  expect(problems).toEqual([])
  expect(heldMs).toBeGreaterThanOrEqual(500)
  expect((await pinLog({ scale: 0.02 })).mostMiB).toBeGreaterThan(0)
})

test('F8: setting the clock ends nothing, loses no run, and gives no run to others', {
  timeout,
}, async () => {
  const { problems } = await setClock({ scale: 0.02, note })
  expect(problems).toEqual([])
})
