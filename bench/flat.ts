/** Iteration 10,000 beside iteration 100: time, memory, and bytes on disk per byte produced. */

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openHost } from 'loopwright'
import { atMost, median, type Suite } from './report.ts'
import { modelText, noLimits, plainLoop, withFolder } from './workload.ts'

const last = 10_000
const windowSize = 100
const rounds = 5

interface Sample {
  readonly cpuMs: number
  readonly wallMs: number
  readonly heapBytes: number
}

export const flat: Suite = {
  area: 'engine',
  title: `iteration ${last} beside iteration 100`,
  async run({ scale, note }) {
    const count = Math.max(5, Math.round(rounds * scale))
    const ratios = { cpu: [] as number[], wall: [] as number[], heap: [] as number[] }
    let bytesRatio = 0
    for (let round = 0; round < count; round++) {
      const { early, late, bytes, produced } = await oneRun()
      ratios.cpu.push(late.cpuMs / early.cpuMs)
      ratios.wall.push(late.wallMs / early.wallMs)
      ratios.heap.push(late.heapBytes / early.heapBytes)
      bytesRatio = bytes / produced
      note(`  round ${round + 1}: CPU ${early.cpuMs.toFixed(3)} → ${late.cpuMs.toFixed(3)} ms`)
    }
    return [
      atMost('engine.iteration-flat-cpu', median(ratios.cpu), 1.2, 'x'),
      atMost('engine.iteration-flat-wall', median(ratios.wall), 1.2, 'x'),
      atMost('engine.iteration-flat-memory', median(ratios.heap), 1.2, 'x'),
      atMost('engine.bytes-on-disk', bytesRatio, 2, 'bytes per byte produced'),
    ]
  },
}

async function oneRun(): Promise<{ early: Sample; late: Sample; bytes: number; produced: number }> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  return withFolder(async (folder) => {
    const host = await openHost({ folder, synchronous: 'NORMAL' })
    const marks = new Map<number, { cpu: NodeJS.CpuUsage; at: bigint; heap: number }>()
    let produced = 0
    const wanted = new Set([100, 100 + windowSize, last, last + windowSize])
    const loop = plainLoop(last + windowSize, (iteration) => {
      produced += modelText(iteration).length + 20
      if (!wanted.has(iteration)) return
      collect()
      const heap = process.memoryUsage().heapUsed
      marks.set(iteration, { cpu: process.cpuUsage(), at: process.hrtime.bigint(), heap })
    })
    const run = await host.start(loop, { input: null, limits: noLimits })
    await run.done
    await host.close()
    const bytes = readdirSync(folder)
      .filter((name) => name.startsWith('journal.db'))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    const sample = (from: number): Sample => {
      const first = marks.get(from)
      const second = marks.get(from + windowSize) ?? finalMark()
      if (first === undefined) throw new Error(`iteration ${from} was not seen`)
      return {
        cpuMs: (cpuMs(second.cpu) - cpuMs(first.cpu)) / windowSize,
        wallMs: Number(second.at - first.at) / 1e6 / windowSize,
        heapBytes: first.heap,
      }
    }
    return { early: sample(100), late: sample(last), bytes, produced }
  })
}

const finalMark = (): { cpu: NodeJS.CpuUsage; at: bigint } => ({
  cpu: process.cpuUsage(),
  at: process.hrtime.bigint(),
})

const cpuMs = (usage: NodeJS.CpuUsage): number => (usage.user + usage.system) / 1000
