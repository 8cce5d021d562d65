/**
 * F15: clients that drop their line every 100 ms and come again with the last id, and 200 that hardly read,
 * while a run writes. Nobody misses an event or gets one twice, and the daemon does not grow.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atLeast, atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { startProcess } from './daemon-process.ts'
import { openWriter } from './event-writer.ts'
import { openSse, type SseTarget, sequenceProblems } from './sse-client.ts'

const slowClients = 200
const droppingClients = 20
const eventsWanted = 4000
const eventBytes = 1000
const dropMs = 100

export const droppedStreams: Suite = {
  area: 'daemon',
  title: 'F15: lines that drop, and clients that hardly read',
  share: 0.05,
  async run(options) {
    const { problems, clients, reconnects, events, grownMiB } = await dropStreams(options)
    for (const problem of problems.slice(0, 20)) options.note(`  ${problem}`)
    const detail = `${clients} clients, ${events} events`
    return [
      atLeast('daemon.stream-reconnects', reconnects, 1, 'times'),
      atMost('daemon.stream-gaps-and-doubles', problems.length, 0, 'clients', detail),
      atMost('daemon.stream-growth', grownMiB, 50, 'MiB', detail),
    ]
  },
}

export interface Dropped {
  readonly problems: readonly string[]
  readonly clients: number
  readonly reconnects: number
  readonly events: number
  readonly grownMiB: number
}

export async function dropStreams({
  scale,
  note,
}: Pick<SuiteOptions, 'scale' | 'note'>): Promise<Dropped> {
  const some = (all: number, least: number): number => Math.max(least, Math.round(all * scale))
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-streams-'))
  const state = join(folder, 'state')
  const daemon = await startProcess(state)
  try {
    const writer = await openWriter(state, 'streamed')
    const path = `/runs/${writer.run}/events`
    const target = { port: daemon.port, token: daemon.readToken, path }
    await warmUp(target)
    const before = rssMiB(daemon.pid)
    let most = before
    const watching = setInterval(() => {
      most = Math.max(most, rssMiB(daemon.pid))
    }, 50)
    const slow = Array.from({ length: some(slowClients, 10) }, () => openSse(target, undefined))
    for (const client of slow) client.pause()
    const dropping = Array.from({ length: some(droppingClients, 3) }, () => drop(target))
    await writer.write(some(eventsWanted, 300), eventBytes, 10)
    const last = await writer.end()
    note(`  ${last} events are written`)
    const dropped = await Promise.all(dropping)
    note('  all that drop are at the end')
    // They begin to read when all is written.
    for (const client of slow) client.resume()
    await Promise.all(slow.map(({ ended }) => ended))
    clearInterval(watching)
    const lists = [...dropped.map(({ ids }) => ids), ...slow.map(({ ids }) => ids)]
    return {
      problems: lists.flatMap((ids, index) =>
        sequenceProblems(ids, last).map((problem) => `client ${index}: ${problem}`),
      ),
      clients: lists.length,
      reconnects: dropped.reduce((sum, { times }) => sum + times, 0),
      events: last,
      grownMiB: most - before,
    }
  } finally {
    await daemon.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a first request loads is no growth. */
async function warmUp(target: SseTarget): Promise<void> {
  for (let time = 0; time < 20; time++) {
    const client = openSse(target, undefined)
    await sleep(20)
    client.drop()
    await client.ended
  }
}

/** Until there is nothing more: 204. */
async function drop(target: SseTarget): Promise<{ ids: readonly number[]; times: number }> {
  const ids: number[] = []
  for (let times = 0; ; times++) {
    const client = openSse(target, ids.at(-1))
    await client.opened
    const cut = setTimeout(() => client.drop(), dropMs)
    const status = await client.ended
    clearTimeout(cut)
    ids.push(...client.ids)
    if (status === 204) return { ids, times }
  }
}

function rssMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024
}
