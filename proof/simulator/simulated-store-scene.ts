/** The store of the simulator for the contract of stores: each connection is a process of one world. */

import { seededRandom } from '#src/testing/seeded-random.ts'
import { createLane } from '#src/testing/simulated-time.ts'
import type { StoreScene } from '#src/testing/store-contract/store-case.ts'
import { createSimulatedProcess } from './simulated-process.ts'
import { createSimulatedWorld } from './simulated-world.ts'

export function openSimulatedStoreScene(seed: number): StoreScene {
  const nothing = (): void => undefined
  const world = createSimulatedWorld(seededRandom(seed), { wrote: nothing, taken: nothing })
  const clock = world.time.clockOf(createLane('contract'))
  let processes = 0
  let isOpen = true

  async function run(): Promise<void> {
    while (isOpen) {
      // Cases wait for real promises in between.
      if (!(await world.time.step())) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const running = run()

  return {
    open() {
      processes += 1
      return createSimulatedProcess(world, `p${processes}`).journal
    },
    now: () => clock.now(),
    advance: (ms) => clock.sleep(ms),
    kill: world.bury,
    async close() {
      isOpen = false
      await running
      world.database.close()
    },
  }
}
