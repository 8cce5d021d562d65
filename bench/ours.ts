/** Our side of the comparison with peers: the same workload and the same line of JSON as theirs. */

import { parseArgs } from 'node:util'
import { openHost } from 'loopwright'
import { costOf, historyLoop, noLimits, plainLoop } from './workload.ts'

const { values } = parseArgs({
  options: {
    history: { type: 'string', default: 'true' },
    iterations: { type: 'string', default: '1000' },
    sync: { type: 'string', default: 'full' },
    dir: { type: 'string' },
  },
})
const iterations = Number(values.iterations)
const history = values.history === 'true'
const synchronous = values.sync === 'full' ? 'FULL' : 'NORMAL'

async function measure(count: number, folder: string): Promise<void> {
  const host = await openHost({ folder, synchronous })
  const cost = await costOf(async () => {
    const run = history
      ? await host.start(historyLoop(count), { input: null, limits: noLimits })
      : await host.start(plainLoop(count), { input: null, limits: noLimits })
    await run.done
  })
  await host.close()
  if (count < iterations) return
  const line = {
    peer: 'loopwright',
    iterations: count,
    history,
    sync: synchronous,
    cpuMsPerIteration: cost.cpuMs / count,
    wallMsPerIteration: cost.wallMs / count,
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const dir = values.dir ?? '.'
await measure(20, `${dir}/warm-up`)
await measure(iterations, `${dir}/measured`)
