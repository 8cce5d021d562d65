/** Healthy runs of scripted agents, generated from seeds: they make progress, some of it slowly. */

import type { RecordedEvent } from '../../src/loop/index.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { createScene, type Turn } from '../engine/escalation-fixture.ts'

/**
 * Up to 50 iterations: tests are fixed and written one after the other, some attempts are in vain, break a test or fail, and
 * none of that lasts as long as a trigger takes.
 */
export function createTurns(seed: number): readonly Turn[] {
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

/** The journal of the run with this seed. It asks nothing: a question would be in it. */
export async function runScripted(seed: number): Promise<readonly RecordedEvent[]> {
  const { world, loop } = createScene(createTurns(seed))
  const run = await world.start(loop)
  await world.finish(run, loop)
  return world.events(run)
}
