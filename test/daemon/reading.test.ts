// A small share of the proofs of reading, through the same code: F6, F8 and F15 against the real daemon.

import { expect, test } from 'vitest'
import { holdRecord, pinLog } from '../../build/proof/daemon-busy.js'
import { setClock } from '../../build/proof/daemon-clock.js'
import { dropStreams } from '../../build/proof/daemon-streams.js'

const note = (): void => undefined

// Whole daemons and runs: on a busy machine they take their time.
const timeout = 180_000

test('F15: lines that drop and clients that hardly read miss nothing and get nothing twice', {
  timeout,
}, async () => {
  const { problems, clients, reconnects } = await dropStreams({ scale: 0.02, note })
  expect(problems).toEqual([])
  expect(clients).toBeGreaterThanOrEqual(13)
  expect(reconnects).toBeGreaterThan(0)
})

test('F6: runs go on after another process held the record, and the daemon answers meanwhile', {
  timeout,
}, async () => {
  const { problems, heldMs } = await holdRecord({ scale: 0.02 })
  expect(problems).toEqual([])
  expect(heldMs).toBeGreaterThanOrEqual(500)
  expect((await pinLog({ scale: 0.02 })).mostMiB).toBeGreaterThan(0)
})

test('F8: a clock that is set ends nothing, loses no run, and gives none to others', {
  timeout,
}, async () => {
  const { problems } = await setClock({ scale: 0.02, note })
  expect(problems).toEqual([])
})
