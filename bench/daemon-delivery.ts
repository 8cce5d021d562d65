/** 200 clients follow a run that the daemon drives: how long an event takes to each of them. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { previewLoop, trustLoop } from 'loopwright'
import { type BenchDaemon, percentile, startBenchDaemon } from './bench-daemon.ts'
import { atLeast, atMost, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const clients = 200
const iterations = 20

const loop = `name: delivered
workspace: work
prompt: Go on.
agent: { command: [sh, -c, 'echo x >> count.txt; sleep 0.05'] }
checks: { never: 'false' }
limits: { iterations: ${iterations} }
certify: { teeth: false }
`

export const daemonDelivery: Suite = {
  area: 'daemon',
  title: `delivery of events to ${clients} clients`,
  async run({ scale }) {
    return withFolder(async (folder) => {
      const state = join(folder, 'state')
      mkdirSync(join(folder, 'work'))
      const file = join(folder, 'loop.yaml')
      writeFileSync(file, loop)
      await trustLoop(await previewLoop(file, state), state)
      const daemon = await startBenchDaemon(state)
      try {
        const count = Math.max(10, Math.round(clients * scale))
        const run = await submit(daemon, file)
        const lists = await Promise.all(Array.from({ length: count }, () => follow(daemon, run)))
        const times = lists.flat()
        const p99 = percentile(times, 0.99)
        const detail = `median ${median(times).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`
        return [
          atLeast('daemon.delivered', times.length, count * 50, 'events', `${count} clients`),
          atMost('daemon.delivery-p99', p99, 250, 'ms', detail),
        ]
      } finally {
        await daemon.stop()
      }
    })
  },
}

async function submit({ address, token }: BenchDaemon, file: string): Promise<string> {
  const response = await fetch(`${address}/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ file, attended: true }),
  })
  const { run } = (await response.json()) as { run: { id: string } }
  return run.id
}

/** From when an event was recorded to when it is here; what was recorded before does not count. */
function follow({ address, token }: BenchDaemon, run: string): Promise<readonly number[]> {
  const times: number[] = []
  const startMs = Date.now()
  return new Promise((resolve, reject) => {
    const asked = request(`${address}/runs/${run}/events`, {
      agent: false,
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    })
    asked.on('error', reject)
    asked.on('response', (response) => {
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        const nowMs = Date.now()
        for (const [, text] of chunk.matchAll(/"atMs":(\d+),"event":/g)) {
          const atMs = Number(text)
          if (atMs > startMs + 500) times.push(nowMs - atMs)
        }
      })
      response.on('close', () => resolve(times))
    })
    asked.end()
  })
}
