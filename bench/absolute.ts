/** Document 001's absolute figures: a run starts in under 5 s, a checkpoint is kept in under 10 s. */

import { openHost } from 'loopwright'
import { atMost, median, type Suite } from './report.ts'
import { noLimits, plainLoop, withFolder } from './workload.ts'

const rounds = 9

export const absolute: Suite = {
  area: 'engine',
  title: 'start and checkpoint, absolute',
  async run() {
    const starts: number[] = []
    const checkpoints: number[] = []
    for (let round = 0; round < rounds; round++) {
      await withFolder(async (folder) => {
        const began = performance.now()
        const host = await openHost({ folder, synchronous: 'FULL' })
        const loop = plainLoop(20, (iteration) => {
          if (iteration === 1) starts.push(performance.now() - began)
        })
        const run = await host.start(loop, { input: null, limits: noLimits })
        await run.done
        const events = []
        for await (const event of host.events(run.id)) events.push(event)
        // From the last result of an iteration to its checkpoint on disk and the next one's start.
        for (const [index, { event, atMs }] of events.entries()) {
          if (event.type === 'iteration-ended')
            checkpoints.push(atMs - (events[index - 1]?.atMs ?? atMs))
        }
        await host.close()
      })
    }
    return [
      atMost('engine.start-ms', median(starts), 5000, 'ms'),
      atMost('engine.checkpoint-ms', Math.max(...checkpoints), 10_000, 'ms'),
    ]
  },
}
