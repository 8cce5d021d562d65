/** Somebody who reads a run's events as they happen, from anywhere to the end, and misses nothing. */

import { streamEvents } from '#src/engine/index.ts'
import type { SimulatedRun } from './simulated-ports.ts'
import { createSimulatedProcess } from './simulated-process.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export async function followRun(run: SimulatedRun, world: SimulatedWorld): Promise<void> {
  const { watch, id } = run
  const { journal } = createSimulatedProcess(world, 'follower')
  let seq = world.random.chance(0.5) ? 0 : world.random.between(0, 20)
  for await (const event of streamEvents(journal, id, { afterSeq: seq })) {
    if (event.seq !== ++seq) watch.violate(`a follower got event ${event.seq}, not ${seq}`)
  }
  const last = watch.log.state.seq
  if (seq < last) watch.violate(`a follower was told of ${seq} events, not ${last}`)
}
