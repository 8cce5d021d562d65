/** What the pages of the dashboard ask for, over HTTP, on a journal of 10,000 runs and a million events. */

import { type BenchDaemon, percentile, startBenchDaemon } from './bench-daemon.ts'
import { makeLargeRecord } from './large-record.ts'
import { atMost, median, type Result, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const runs = 10_000
const longIterations = 2000
const samples = 200
const targetMs = 100

export const dashboard: Suite = {
  area: 'dashboard',
  title: `pages over ${runs} runs and a million events`,
  async run({ scale, note }) {
    return withFolder(async (folder) => {
      const count = Math.max(100, Math.round(runs * scale))
      const long = Math.max(50, Math.round(longIterations * scale))
      const record = await makeLargeRecord(folder, count, long)
      note(`  ${record.runs} runs, ${record.events} events`)
      const daemon = await startBenchDaemon(folder)
      try {
        const results: Result[] = []
        for (const [name, paths] of Object.entries(queriesOf(record.long))) {
          results.push(await measure(daemon, name, paths))
        }
        return results
      } finally {
        await daemon.stop()
      }
    })
  },
}

const queriesOf = (long: string): Readonly<Record<string, readonly string[]>> => ({
  runs: ['/summaries?limit=100'],
  'runs-filtered': [
    '/summaries?limit=100&loop=bench-work',
    '/summaries?limit=100&status=suspended',
    '/summaries?limit=100&status=failed',
    '/summaries?limit=100&workspace=/home/me/work-7',
    '/summaries?limit=100&name=ended-12',
  ],
  'needs-you': ['/questions?limit=200'],
  'a-run': [`/runs/${long}`, `/runs/${long}/iterations`, `/runs/${long}/evidence`],
})

async function measure(
  daemon: BenchDaemon,
  name: string,
  paths: readonly string[],
): Promise<Result> {
  const times: number[] = []
  for (let index = -10; index < samples; index++) {
    const { ms } = await daemon.get(paths[Math.abs(index) % paths.length] ?? '')
    if (index >= 0) times.push(ms)
  }
  const detail = `median ${median(times).toFixed(2)} ms, most ${Math.max(...times).toFixed(1)} ms`
  return atMost(`dashboard.${name}-p95`, percentile(times, 0.95), targetMs, 'ms', detail)
}
