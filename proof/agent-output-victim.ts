/** The process whose memory is looked at: `node agent-output-victim.js '<options>'` prints its report. */

import {
  fuzzAgentOutput,
  type OutputFuzzOptions,
  type OutputFuzzReport,
} from './agent-output-fuzz.ts'

export interface VictimReport extends OutputFuzzReport {
  /** The most memory it ever had, over what it began with. */
  readonly grownBytes: number
}

const options: OutputFuzzOptions = JSON.parse(process.argv[2] ?? '{}')
// What it needs to begin with is loaded by the first cases.
await fuzzAgentOutput({ ...options, cases: Math.min(20, options.cases) })
const beforeBytes = process.memoryUsage.rss()
const report = await fuzzAgentOutput(options)
const grownBytes = process.resourceUsage().maxRSS * 1024 - beforeBytes
const whole: VictimReport = { ...report, grownBytes }
process.stdout.write(JSON.stringify(whole))
