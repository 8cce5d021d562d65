// Shows that the proofs can fail: against a product that was broken on purpose, they do. The quick
// ones are in test/proofs.test.ts.

import { expect, test } from 'vitest'
import { failEachCall } from '../build/proof/failing-calls.js'
import { measureSites, runCase } from '../build/proof/kill-case.js'

const note = (): void => undefined

type Breaking = [site: string, occurrence: number, sabotage: Parameters<typeof runCase>[2]]

test('kill -9 of a broken product is detected', async () => {
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
}, 240_000)

test('a failed call of a product that acknowledges too early is detected', async () => {
  const { problems } = await failEachCall({ scale: 0.01, note, sabotage: 'ack-before-commit' })
  expect(problems).not.toEqual([])
}, 240_000)
