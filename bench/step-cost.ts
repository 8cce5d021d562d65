/**
 * What a durable step costs beside a hand-written program that makes the same number of commits with
 * the same bytes and the same synchronous setting.
 */

import { join } from 'node:path'
import { openHost } from 'loopwright'
import { openDatabase } from '#src/journal/index.ts'
import { atMost, median, type Suite } from './report.ts'
import { type Cost, costOf, noLimits, plainLoop, withFolder } from './workload.ts'

const iterations = 1500
const rounds = 9

export const stepCost: Suite = {
  area: 'engine',
  title: 'a durable step beside a hand-written one',
  async run({ scale }) {
    const n = Math.max(50, Math.round(iterations * scale))
    const ratios = { cpu: [] as number[], wall: [] as number[] }
    let last: { ours: Cost; theirs: Cost } | undefined
    for (let round = -1; round < rounds; round++) {
      const bodies: string[] = []
      const ours = await ourCost(n, bodies)
      const theirs = await handWrittenCost(bodies)
      last = { ours, theirs }
      // The first round warms both up.
      if (round < 0) continue
      ratios.cpu.push(ours.cpuMs / theirs.cpuMs)
      ratios.wall.push(ours.wallMs / theirs.wallMs)
    }
    const detail = describe(last, n)
    return [
      atMost('engine.step-cost-cpu', median(ratios.cpu), 1.5, 'x', detail),
      atMost('engine.step-cost-wall', median(ratios.wall), 1.5, 'x'),
    ]
  },
}

function describe(last: { ours: Cost; theirs: Cost } | undefined, n: number): string {
  if (last === undefined) return ''
  const each = (ms: number): string => `${((ms * 1000) / (n * 2)).toFixed(0)} µs`
  const { ours, theirs } = last
  return (
    `a step: CPU ${each(ours.cpuMs)} against ${each(theirs.cpuMs)}, ` +
    `wall ${each(ours.wallMs)} against ${each(theirs.wallMs)}`
  )
}

async function ourCost(n: number, bodies: string[]): Promise<Cost> {
  return withFolder(async (folder) => {
    const host = await openHost({ folder, synchronous: 'FULL' })
    const cost = await costOf(async () => {
      const run = await host.start(plainLoop(n), { input: null, limits: noLimits })
      await run.done
    })
    const [run] = await host.list()
    for await (const { event } of host.events(run?.id ?? '')) bodies.push(JSON.stringify(event))
    await host.close()
    return cost
  })
}

/** As somebody would write it for one loop: a table, an index, a commit for each thing done. */
async function handWrittenCost(bodies: readonly string[]): Promise<Cost> {
  return withFolder(async (folder) => {
    const database = openDatabase(join(folder, 'journal.db'), 'FULL')
    database.exec(
      'CREATE TABLE runs (id INTEGER PRIMARY KEY, iteration INTEGER) STRICT;' +
        'INSERT INTO runs VALUES (1, 0);' +
        'CREATE TABLE events (position INTEGER PRIMARY KEY, run INTEGER, seq INTEGER, at INTEGER, body TEXT) STRICT;' +
        'CREATE UNIQUE INDEX events_run_seq ON events (run, seq)',
    )
    const begin = database.prepare('BEGIN IMMEDIATE')
    const commit = database.prepare('COMMIT')
    const insert = database.prepare('INSERT INTO events (run, seq, at, body) VALUES (?, ?, ?, ?)')
    const update = database.prepare('UPDATE runs SET iteration = ? WHERE id = 1')
    const commits = groupByCommit(bodies)
    let seq = 0
    const cost = await costOf(() => {
      for (const records of commits) {
        begin.run()
        for (const record of records) {
          insert.run(1, ++seq, Date.now(), JSON.stringify(record))
          if (record.type === 'iteration-ended') update.run(record.iteration ?? 0)
        }
        commit.run()
      }
    })
    database.close()
    return cost
  })
}

interface Body {
  readonly type: string
  readonly iteration?: number
}

/** The engine commits when a step starts and when it has ended; the rest shares those commits. */
function groupByCommit(bodies: readonly string[]): readonly (readonly Body[])[] {
  const commits: Body[][] = []
  let open: Body[] = []
  for (const body of bodies) {
    const record = JSON.parse(body) as Body
    open.push(record)
    if (!record.type.startsWith('step-')) continue
    commits.push(open)
    open = []
  }
  return open.length === 0 ? commits : [...commits, open]
}
