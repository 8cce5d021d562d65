/**
 * What a sandbox adds to the start of a command: `bash -c true` inside, with its limits on and until
 * nothing of it is alive, beside a bare process, in turns.
 */

import { spawn } from 'node:child_process'
import { openSandbox } from 'loopwright'
import { atMost, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const rounds = 200

export const sandboxStart: Suite = {
  area: 'sandbox',
  title: 'bash -c true in a sandbox beside a bare one',
  async run({ scale }) {
    const { commands, report } = await openSandbox({ requireTier: 'strong' })
    const inside: number[] = []
    const bare: number[] = []
    await withFolder(async (workspace) => {
      const own = commands({ workspace })
      const never = new AbortController().signal
      const runInside = async (): Promise<number | undefined> =>
        (await own.run({ program: 'bash', args: ['-c', 'true'] }, never)).exitCode
      const warmUp = 5
      for (let round = -warmUp; round < Math.max(20, Math.round(rounds * scale)); round++) {
        const bareMs = await wallMs(runBare)
        const insideMs = await wallMs(runInside)
        if (round < 0) continue
        bare.push(bareMs)
        inside.push(insideMs)
      }
    })
    const detail = `${median(inside).toFixed(1)} ms beside ${median(bare).toFixed(1)} ms, ${report.limits}`
    return [
      atMost('sandbox.start', median(inside) / median(bare), 6, 'x', detail),
      atMost('sandbox.self-test-ms', report.durationMs, 500, 'ms'),
    ]
  },
}

const runBare = (): Promise<number | null> =>
  new Promise((resolve) => {
    const child = spawn('bash', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.once('close', resolve)
  })

async function wallMs(run: () => Promise<number | null | undefined>): Promise<number> {
  const began = performance.now()
  const code = await run()
  if (code !== 0) throw new Error(`bash ended with ${code}`)
  return performance.now() - began
}
