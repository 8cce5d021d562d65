/** Lists and what a run says of itself, over HTTP, on a record of 10,000 runs and a million events. */

import { type BenchDaemon, percentile, startBenchDaemon } from './bench-daemon.ts'
import { type LargeRecord, makeLargeRecord } from './large-record.ts'
import { atMost, median, type Result, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const runs = 10_000
const longIterations = 2000
const samples = 200

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
          results.push(await measure(daemon, name, paths))
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
  return atMost(`daemon.read-${name}-p95`, percentile(times, 0.95), 50, 'ms', detail)
}
