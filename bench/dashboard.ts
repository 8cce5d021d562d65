/** The dashboard on a journal of 10,000 runs and a million events: what its pages ask for over HTTP, and how they are shown. */

import { startBenchDaemon } from './bench-daemon.ts'
import { measurePages } from './dashboard-pages.ts'
import { makeLargeRecord } from './large-record.ts'
import { measureRequests } from './measure-requests.ts'
import type { Result, Suite } from './report.ts'
import { withFolder } from './workload.ts'

const runs = 10_000
const longIterations = 2000
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
          const measured = { name: `dashboard.${name}-p95`, paths, targetMs }
          results.push(await measureRequests(daemon, measured))
        }
        results.push(...(await measurePages(daemon, record, scale)))
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
