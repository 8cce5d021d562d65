/** Whatever agent programs print, nothing crashes and memory stays small. */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atMost, type Suite } from '../bench/report.ts'
import type { OutputFuzzOptions } from './agent-output-fuzz.ts'
import type { VictimReport } from './agent-output-victim.ts'

const casesWanted = 100_000
const grownMegabytesMax = 200

export const agentOutput: Suite = {
  area: 'agents',
  title: 'whatever agent programs print is read without a crash, in little memory',
  share: 0.1,
  async run({ scale, seed }) {
    const cases = seed === undefined ? Math.max(1, Math.round(casesWanted * scale)) : 1
    const { ends, failures, grownBytes } = await inChild({ cases, first: seed ?? 1 })
    const counts = Object.entries(ends).map(([end, count]) => `${end} ${count}`)
    const detail = `${cases} outputs: ${counts.join(', ')}`
    const shown = failures[0] === undefined ? detail : `${detail}; ${failures[0]}`
    const grown = grownBytes / 1024 ** 2
    return [
      atMost('agents.output-fuzz-crashes', failures.length, 0, 'failures', shown),
      atMost(
        'agents.output-fuzz-memory',
        grown,
        grownMegabytesMax,
        'MB',
        'of a process that reads all',
      ),
    ]
  },
}

const victim = fileURLToPath(new URL('./agent-output-victim.js', import.meta.url))

async function inChild(options: OutputFuzzOptions): Promise<VictimReport> {
  const args = [victim, JSON.stringify(options)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1024 ** 2 })
  return JSON.parse(stdout) as VictimReport
}
