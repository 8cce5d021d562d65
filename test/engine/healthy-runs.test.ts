// Runs that make progress, generated from seeds: no trigger fires on any of them, however long they take.

import { expect, test } from 'vitest'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { share } from '../share.ts'
import { createScene, type Turn } from './escalation-fixture.ts'

/**
 * Up to 50 iterations: tests are fixed and written one after the other, some attempts are in vain, break a test or fail, and
 * none of that lasts as long as a trigger takes.
 */
function createTurns(seed: number): readonly Turn[] {
  const random = seededRandom(seed)
  const length = random.between(1, 50)
  const turns: Turn[] = []
  let [passed, failed] = [random.between(0, 20), length]
  let inVain = 0
  let errors = 0
  let still = 0
  for (let at = 1; at < length; at++) {
    const files = { [`src/${random.between(1, 15)}.ts`]: `${at}` }
    const isError = errors < 2 && still < 4 && random.chance(0.1)
    const isInVain = !isError && inVain < 2 && random.chance(0.4)
    errors = isError ? errors + 1 : 0
    if (isError) {
      still++
      turns.push({ fault: { code: 'conflict', message: 'in a.ts', retryable: false } })
      continue
    }
    inVain = isInVain ? inVain + 1 : 0
    if (isInVain) {
      const isStill = still < 4 && random.chance(0.3)
      still = isStill ? still + 1 : 0
      const breaks = !isStill && inVain === 1 && passed > 0 && random.chance(0.3) ? 1 : 0
      ;[passed, failed] = [passed - breaks, failed + breaks]
      turns.push(isStill ? {} : { files, tests: [passed, failed] })
      continue
    }
    still = 0
    const fixed = failed > 2 ? 1 : 0
    const written = fixed === 0 || random.chance(0.2) ? 1 : 0
    ;[passed, failed] = [passed + fixed + written, failed - fixed]
    turns.push({ files, tests: [passed, failed] })
  }
  return [...turns, { files: { 'a.ts': 'done' }, tests: [passed + failed, 0] }]
}

test('no trigger fires on 200 healthy runs', async () => {
  let iterations = 0
  const count = share(200, 40)
  for (let seed = 1; seed <= count; seed++) {
    const turns = createTurns(seed)
    const { world, loop } = createScene(turns)
    const run = await world.start(loop)
    await world.finish(run, loop)
    const { outcome, attention, iteration } = await world.state(run)
    expect([seed, outcome?.type, attention.questions]).toEqual([seed, 'completed', 0])
    expect(iteration).toBe(turns.length)
    iterations += iteration
  }
  expect(iterations).toBeGreaterThan(count * 15)
})
