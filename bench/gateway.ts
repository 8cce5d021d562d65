/**
 * What the gateway adds, beside the same server reached directly, in turn and in one run. Provider,
 * gateway and client are threads of their own, so that none waits for another's turn. Reservations and
 * records go to memory: what a durable one costs is measured elsewhere (`agents.turn-overhead`).
 */

import { Agent, request } from 'node:http'
import { Worker } from 'node:worker_threads'
import type { StreamPlan, WorkerInput, WorkerReady } from './gateway-worker.ts'
import { atLeast, atMost, median, type Result, type Suite } from './report.ts'

const firstBytes = 300
const steadyEvents = 400
const steadyStreams = 6
const megabytes = 400
const rounds = 3
const streamsAtOnce = 200

export const gateway: Suite = {
  area: 'gateway',
  title: 'the gateway beside the same server reached directly',
  async run({ scale }) {
    await using direct = await startWorker({})
    await using through = await startWorker({ provider: direct.url })
    return [
      await firstByte(direct, through, Math.max(20, Math.round(firstBytes * scale))),
      await perEvent(direct, through, Math.max(50, Math.round(steadyEvents * scale))),
      ...(await throughput(direct, through, Math.max(50, Math.round(megabytes * scale)))),
      await manyStreams(direct, through),
    ]
  },
}

interface Place extends WorkerReady {
  readonly agent: Agent
}

async function startWorker(workerData: WorkerInput): Promise<Place & AsyncDisposable> {
  const worker = new Worker(new URL('gateway-worker.js', import.meta.url), { workerData })
  const ready = await new Promise<WorkerReady>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject)
  })
  const agent = new Agent({ keepAlive: true })
  return {
    ...ready,
    agent,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none
      worker.postMessage('end')
      await ended
    },
  }
}

interface Streamed {
  readonly firstByteMs: number
  readonly totalMs: number
  readonly bytes: number
  /** From the provider's hand to the client's, for each event. */
  readonly lagsMs: readonly number[]
  readonly isWhole: boolean
}

/** As long as a conversation of some turns. */
const messages = Array.from({ length: 40 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `Turn ${index}: ${'some words of it, and some more. '.repeat(30)}`,
}))

function stream(place: Place, plan: StreamPlan, withLags = false): Promise<Streamed> {
  const body = JSON.stringify({
    model: 'claude-sonnet-5',
    max_tokens: 1000,
    stream: true,
    plan,
    messages,
  })
  return new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-api-key': place.token,
    }
    const { agent } = place
    const asked = request(`${place.url}/v1/messages`, { method: 'POST', headers, agent })
    asked.on('error', reject)
    asked.on('response', (response) => {
      let firstByteMs = 0
      let bytes = 0
      let last: Buffer = Buffer.alloc(0)
      const lagsMs: number[] = []
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - startedMs
        bytes += chunk.length
        last = chunk
        if (withLags) lagsMs.push(...lagsIn(chunk))
      })
      response.on('end', () => {
        const isWhole = last.includes('message_stop')
        resolve({ firstByteMs, totalMs: performance.now() - startedMs, bytes, lagsMs, isWhole })
      })
    })
    asked.end(body)
  })
}

function lagsIn(chunk: Buffer): readonly number[] {
  const now = process.hrtime.bigint()
  return [...chunk.toString().matchAll(/"at":"(\d+)"/g)].map(
    ([, at]) => Number(now - BigInt(at ?? 0)) / 1e6,
  )
}

async function firstByte(direct: Place, through: Place, count: number): Promise<Result> {
  const plan = { events: 1, bytesEach: 20, everyMs: 0 }
  const all = { direct: [] as number[], through: [] as number[] }
  for (let index = -20; index < count; index++) {
    const straight = await stream(direct, plan)
    const metered = await stream(through, plan)
    // The first ones warm all of them up.
    if (index < 0) continue
    all.direct.push(straight.firstByteMs)
    all.through.push(metered.firstByteMs)
  }
  const detail = `direct ${ms(median(all.direct))}, through ${ms(median(all.through))}, ${messages.length} turns`
  const more = median(all.through) - median(all.direct)
  return atMost('gateway.first-byte', more, 5, 'ms', detail)
}

async function perEvent(direct: Place, through: Place, events: number): Promise<Result> {
  const plan = { events, bytesEach: 40, everyMs: 2 }
  const all = { direct: [] as number[], through: [] as number[] }
  for (let index = 0; index < steadyStreams; index++) {
    all.direct.push(median((await stream(direct, plan, true)).lagsMs))
    all.through.push(median((await stream(through, plan, true)).lagsMs))
  }
  const detail = `direct ${ms(median(all.direct))}, through ${ms(median(all.through))}`
  const more = median(all.through) - median(all.direct)
  return atMost('gateway.per-event', more, 1, 'ms', detail)
}

async function throughput(direct: Place, through: Place, size: number): Promise<readonly Result[]> {
  const rates = async (place: Place, bytesEach: number): Promise<number> => {
    const events = Math.ceil((size * 1e6) / (bytesEach + 120))
    const all: number[] = []
    for (let round = -1; round < rounds; round++) {
      const { bytes, totalMs, isWhole } = await stream(place, { events, bytesEach, everyMs: 0 })
      if (!isWhole) throw new Error('A stream was not carried to its end.')
      if (round >= 0) all.push(bytes / 1e3 / totalMs)
    }
    return median(all)
  }
  const results: Result[] = []
  for (const bytesEach of [1000, 60_000]) {
    const straight = await rates(direct, bytesEach)
    const metered = await rates(through, bytesEach)
    const detail = `events of ${bytesEach} bytes; direct ${Math.round(straight)} MB/s`
    const name = `gateway.stream-${bytesEach < 5000 ? 'small' : 'large'}-events`
    results.push(atLeast(name, metered, 100, 'MB/s', detail))
  }
  return results
}

async function manyStreams(direct: Place, through: Place): Promise<Result> {
  const plan = { events: 50, bytesEach: 100, everyMs: 20 }
  const together = async (place: Place): Promise<{ whole: number; totalMs: number }> => {
    const startedMs = performance.now()
    const all = await Promise.all(
      Array.from({ length: streamsAtOnce }, () => stream(place, plan).catch(() => undefined)),
    )
    const whole = all.filter((one) => one?.isWhole === true).length
    return { whole, totalMs: performance.now() - startedMs }
  }
  await together(direct)
  const straight = await together(direct)
  const metered = await together(through)
  const detail = `whole streams, in ${ms(metered.totalMs)}; direct in ${ms(straight.totalMs)}`
  return atLeast('gateway.streams-at-once', metered.whole, streamsAtOnce, 'streams', detail)
}

const ms = (value: number): string => `${value.toFixed(2)} ms`
