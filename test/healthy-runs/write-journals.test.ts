// Writes the journals of 200 healthy runs anew: LOOPWRIGHT_WRITE_JOURNALS=1 npm test -- test/healthy-runs

import { expect, test } from 'vitest'
import type { RecordedEvent } from '../../src/loop/index.ts'
import { type Journal, readJournals, writeJournals } from './journals.ts'
import { repairProjects, runRepair } from './repair-runs.ts'
import { runScripted } from './scripted-runs.ts'

const runs = 200
const repairs = 30
const atOnce = 3
const isWriting = process.env['LOOPWRIGHT_WRITE_JOURNALS'] === '1'
const writeMsMax = 3_600_000

interface Repaired {
  readonly journals: readonly Journal[]
  /** How other runs ended. */
  readonly others: readonly string[]
}

/** Of the first projects whose defect is found. */
async function runRepairs(): Promise<Repaired> {
  const found: (readonly RecordedEvent[])[] = []
  const others: string[] = []
  const numbers = Array.from({ length: repairProjects }, (_, nth) => nth).values()
  const worker = async (): Promise<void> => {
    for (const nth of numbers) {
      if (found.length >= repairs) return
      const end = await runRepair(nth)
      if (typeof end === 'string') others.push(end)
      else found.push(end)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const journals = found.slice(0, repairs)
  return {
    journals: journals.map((events, nth) => ({ name: `repair ${nth + 1}`, events })),
    others,
  }
}

test.each(isWriting ? ['now'] : [])(
  'the journals are written %s',
  async () => {
    const repaired = await runRepairs()
    const journals: Journal[] = [...repaired.journals]
    for (let seed = 1; journals.length < runs; seed++) {
      journals.push({ name: `scripted ${seed}`, events: await runScripted(seed) })
    }
    writeJournals(journals)
    expect(journals).toHaveLength(runs)
    // A run is left out only if the agent cannot find the defect: then it is not healthy.
    expect(repaired.others.filter((end) => !end.includes('agent-blocked'))).toEqual([])
  },
  writeMsMax,
)

test('the journals are complete', () => {
  const names = readJournals().map(({ name }) => name.split(' ')[0])
  expect(names.filter((name) => name === 'repair')).toHaveLength(repairs)
  expect(names).toHaveLength(runs)
})
