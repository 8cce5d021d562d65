/** Lists and what a run says of itself, over HTTP, on a record of 10,000 runs and a million events. */

import { startBenchDaemon } from './bench-daemon.ts'
import { type LargeRecord, makeLargeRecord } from './large-record.ts'
import { measureRequests } from './measure-requests.ts'
import type { Result, Suite } from './report.ts'
import { withFolder } from './workload.ts'

const runs = 10_000
const longIterations = 2000
const targetMs = 50

export const daemonReads: Suite = {
  area: 'daemon',
  title: `reads over ${runs} runs and a million events`,
  async run({ scale, note }) {
    return withFolder(async (folder) => {
      const count = Math.max(100, Math.round(runs * scale))
      const record = await makeLargeRecord(
        folder,
        count,
        Math.max(50, Math.round(longIterations * scale)),
      )
      note(`  ${record.runs} runs, ${record.events} events`)
      const daemon = await startBenchDaemon(folder)
      try {
        const results: Result[] = []
        for (const [name, paths] of Object.entries(queriesOf(record))) {
          const measured = { name: `daemon.read-${name}-p95`, paths, targetMs }
          results.push(await measureRequests(daemon, measured))
        }
        return results
      } finally {
        await daemon.stop()
      }
    })
  },
}

type Queries = Readonly<Record<string, readonly string[]>>

function queriesOf({ some, long }: LargeRecord): Queries {
  const ofRuns = (rest: string): readonly string[] => some.map((id) => `/runs/${id}${rest}`)
  return {
    runs: ['/runs', '/runs?limit=20'],
    'runs-filtered': [
      '/runs?status=suspended',
      '/runs?status=running',
      '/runs?workspace=/home/me/work-7',
      '/runs?loop=bench-work&name=ended-12',
      '/runs?createdAfter=1',
      '/runs?status=failed',
    ],
    inbox: ['/questions'],
    run: ofRuns(''),
    events: ofRuns('/events'),
    steps: ofRuns('/steps'),
    iterations: ofRuns('/iterations'),
    ledger: ofRuns('/ledger'),
    evidence: ofRuns('/evidence'),
    questions: ofRuns('/questions'),
    progress: ofRuns('/progress'),
    output: ofRuns('/output'),
    'long-run': ['', '/events', '/steps', '/ledger', '/evidence', '/progress', '/output'].map(
      (rest) => `/runs/${long}${rest}`,
    ),
    'all-events': ['/events', '/events?after=500000'],
  }
}
