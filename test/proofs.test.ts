// A small part of `npm run proof`, through the same code, and planted failures: each proof also
// runs against a product that was broken on purpose (test/proofs-broken.test.ts has the slow ones).

import { describe, expect, test } from 'vitest'
import { failEachCall } from '../build/proof/failing-calls.js'
import { runKills } from '../build/proof/kills.js'
import { resumeAll } from '../build/proof/prefix-resume.js'
import { runRaces } from '../build/proof/races.js'

const note = (): void => undefined

describe('E2: resume from a prefix of the journal', () => {
  test('ends as if the run had not been interrupted', async () => {
    const { held, all, problems } = await resumeAll({ scale: 0.03, note })
    expect(problems).toEqual([])
    expect(held).toBe(all)
  })

  test('fails if files are not restored', async () => {
    const { problems } = await resumeAll({ scale: 0.03, note, sabotage: 'no-restore' })
    expect(problems).not.toEqual([])
  })
})

describe('E1, E2: kill -9', () => {
  test('loses nothing and repeats nothing', async () => {
    const { kills, findings } = await runKills({ scale: 0.003, note })
    expect(findings).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(3)
  })
})

describe('a call of store, file or spawn that fails', () => {
  test('leaves a run that can be resumed', async () => {
    const { held, all, problems } = await failEachCall({ scale: 0.003, note })
    expect(problems).toEqual([])
    expect(held).toBe(all)
  })
})

describe('two processes that race for one run', () => {
  test('never both drive it, and one that was frozen changes nothing', async () => {
    const { held, all, frozen, problems } = await runRaces({ scale: 0.024, note })
    expect(problems).toEqual([])
    expect(held).toBe(all)
    expect(frozen).toBeGreaterThan(0)
  })

  test('are detected doing so if leases do not hold', async () => {
    const { problems } = await runRaces({ scale: 0.01, note, sabotage: 'no-leases' })
    expect(problems).not.toEqual([])
  })
})
