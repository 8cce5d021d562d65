/** How long requests to a daemon take, with the whole response: its p95 over many of them. */

import { type BenchDaemon, percentile } from './bench-daemon.ts'
import { atMost, median, type Result } from './report.ts'

const samples = 200
const warmUps = 10

export interface Measured {
  readonly name: string
  /** Asked in turn. */
  readonly paths: readonly string[]
  readonly targetMs: number
}

export async function measureRequests(
  daemon: BenchDaemon,
  { name, paths, targetMs }: Measured,
): Promise<Result> {
  const times: number[] = []
  for (let index = -warmUps; index < samples; index++) {
    const { ms } = await daemon.get(paths[Math.abs(index) % paths.length] ?? '')
    if (index >= 0) times.push(ms)
  }
  const detail = `median ${median(times).toFixed(2)} ms, most ${Math.max(...times).toFixed(1)} ms`
  return atMost(name, percentile(times, 0.95), targetMs, 'ms', detail)
}
