/** How long `loopctl --version` takes beside Node that does nothing, in turns. */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { atMost, median, type Suite } from './report.ts'

const rounds = 21
const loopctl = fileURLToPath(new URL('../../dist/cli/loopctl.js', import.meta.url))

export const cliStart: Suite = {
  area: 'cli',
  title: 'loopctl --version beside node -e 0',
  async run({ scale }) {
    const ours: number[] = []
    const bare: number[] = []
    for (let round = -1; round < Math.max(5, Math.round(rounds * scale)); round++) {
      const nothing = wallMs(['-e', '0'])
      const version = wallMs([loopctl, '--version'])
      // The first round fills the caches.
      if (round < 0) continue
      bare.push(nothing)
      ours.push(version)
    }
    const detail = `${median(ours).toFixed(0)} ms beside ${median(bare).toFixed(0)} ms`
    return [atMost('cli.version-start', median(ours) / median(bare), 2.5, 'x', detail)]
  },
}

function wallMs(args: readonly string[]): number {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, [...args], { stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
  return performance.now() - began
}
