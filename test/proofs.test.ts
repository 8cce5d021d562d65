// A small share of `npm run proof`, through the same code, and the proof that the proof can fail: each
// is also run against a product that was broken on purpose.

import { describe, expect, test } from 'vitest'
import { failEachCall } from '../build/proof/failing-calls.js'
import { measureSites, runCase } from '../build/proof/kill-case.js'
import { runKills } from '../build/proof/kills.js'
import { resumeAll } from '../build/proof/prefix-resume.js'
import { runRaces } from '../build/proof/races.js'

const note = (): void => undefined

describe('E2: resume from a prefix of the record', () => {
  test('ends as if the run had not been interrupted', async () => {
    const { held, all, problems } = await resumeAll({ scale: 0.03, note })
    expect(problems).toEqual([])
    expect(held).toBe(all)
  })

  test('is seen to fail when files are not put back', async () => {
    const { problems } = await resumeAll({ scale: 0.03, note, sabotage: 'no-restore' })
    expect(problems).not.toEqual([])
  })
})

describe('E1, E2: kill -9', () => {
  test('loses nothing and repeats nothing', async () => {
    const { kills, findings } = await runKills({ scale: 0.005, note })
    expect(findings).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(5)
  })

  test('is seen to hurt a product that is broken', async () => {
    const { clean } = await measureSites()
    const kinds = async (...[site, occurrence, sabotage]: Breaking): Promise<readonly string[]> => {
      const kill = { site, phase: 'after', occurrence } as const
      const { findings } = await runCase([kill], clean, sabotage)
      return findings.map(({ kind }) => kind)
    }
    // The commit that it does not wait for may be quicker than the kill.
    const lossOf = async (tries: number): Promise<readonly string[]> => {
      const found = await kinds('step.write', 4, 'ack-before-commit')
      return found.includes('lost') || tries <= 1 ? found : lossOf(tries - 1)
    }
    const [lost, moved, repeated, twice] = await Promise.all([
      lossOf(3),
      kinds('step.symlink', 2, 'no-restore'),
      kinds('step.rename', 1, 'forget-last-result'),
      kinds('world.append', 1, 'never-find'),
    ])
    expect(lost).toContain('lost')
    expect(moved).toContain('tree')
    expect(repeated).toContain('repeated')
    expect(twice).toContain('repeated')
  })
})

type Breaking = [site: string, occurrence: number, sabotage: Parameters<typeof runCase>[2]]

describe('a call of store, file or spawn that fails', () => {
  test('leaves a run that can be resumed', async () => {
    const { held, all, problems } = await failEachCall({ scale: 0.003, note })
    expect(problems).toEqual([])
    expect(held).toBe(all)
  })

  test('is seen to hurt a product that acknowledges too early', async () => {
    const { problems } = await failEachCall({ scale: 0.002, note, sabotage: 'ack-before-commit' })
    expect(problems).not.toEqual([])
  })
})

describe('two processes that race for one run', () => {
  test('never both drive it, and one that was frozen changes nothing', async () => {
    const { held, all, frozen, problems } = await runRaces({ scale: 0.024, note })
    expect(problems).toEqual([])
    expect(held).toBe(all)
    expect(frozen).toBeGreaterThan(0)
  })

  test('are seen to do so where leases do not hold', async () => {
    const { problems } = await runRaces({ scale: 0.01, note, sabotage: 'no-leases' })
    expect(problems).not.toEqual([])
  })
})
