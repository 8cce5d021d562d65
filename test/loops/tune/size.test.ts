// What a long tuning loop keeps: its journal, its last state and its documents together.

import { expect, test } from 'vitest'
import { memoryBlobs } from '../../../src/testing/memory-blobs.ts'
import { share } from '../../share.ts'
import { type FakeWorkload, playTune } from './fixture.ts'

const cases = share(200, 40)
const iterations = share(10, 3)
const bytesMax = share(100, 8) * 1024 ** 2

/** Scores creep up, no case ever passes, every critique is long, and the prompt has 20,000 characters. */
const long: FakeWorkload = {
  rules: `x=1\ny=off\nz=5\n${'A line of a long prompt. '.repeat(800)}\n`,
  cases: Array.from({ length: cases }, (_, at) => `case-${String(at).padStart(3, '0')}`),
  run: (rules) => /z=(\d+)/.exec(rules)?.[1] ?? '0',
  judge: (output) =>
    JSON.stringify({ score: Number(output) / 2000, critique: 'It lacks a total. '.repeat(40) }),
  manifest: {
    maxIterations: iterations,
    split: { holdout: 0.3 },
    knobs: {
      x: { type: 'choice', text: 'x={value}\n', values: ['1', '2', '3'] },
      y: { type: 'toggle', text: 'y={value}\n', on: 'on', off: 'off' },
      z: { type: 'number', text: 'z={value}\n', min: 0, max: 1000, step: 1 },
    },
  },
}

test('a loop with many cases and iterations stays small', async () => {
  const blobs = memoryBlobs()
  const { state, events } = await playTune(long, { search: { passes: 2 } }, { blobs })
  if (state.phase !== 'ended') throw new Error(state.phase)
  expect(state.trail.length).toBeGreaterThan(Math.min(iterations, 5))
  // Outputs and documents, and what is too large for the journal, are content on disk.
  const kept = [...blobs.contents.values()].reduce((sum, { length }) => sum + length, 0)
  const bytes = kept + JSON.stringify(events).length + JSON.stringify(state).length
  expect(bytes).toBeLessThan(bytesMax)
}, 300_000)
