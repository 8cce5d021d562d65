/** 100 runs at once in one process, beside the bare store with the same rows in the same commits. */

import { join } from 'node:path'
import { openHost } from 'loopwright'
import { openDatabase } from '#src/journal/index.ts'
import { atLeast, median, type Suite } from './report.ts'
import { costOf, noLimits, plainLoop, withFolder } from './workload.ts'

const runs = 100
const iterations = 200
const rounds = 7

export const groupCommit: Suite = {
  area: 'journal',
  title: `${runs} runs at once beside the bare store`,
  async run({ scale }) {
    const n = Math.max(10, Math.round(iterations * scale))
    const ratios: number[] = []
    let detail = ''
    for (let round = -1; round < rounds; round++) {
      const ours = await engineRate(n)
      const bare = await bareRate(n, ours.bodies)
      if (round >= 0) ratios.push(ours.rate / bare)
      detail = `${ours.rate.toFixed(0)} against ${bare.toFixed(0)} durable units a second`
    }
    return [atLeast('journal.group-commit-rate', median(ratios), 0.5, 'x', detail)]
  },
}

async function engineRate(n: number): Promise<{ rate: number; bodies: readonly string[] }> {
  return withFolder(async (folder) => {
    const host = await openHost({ folder, synchronous: 'FULL' })
    const loop = plainLoop(n)
    const { wallMs } = await costOf(async () => {
      const handles = await Promise.all(
        Array.from({ length: runs }, () => host.start(loop, { input: null, limits: noLimits })),
      )
      await Promise.all(handles.map((handle) => handle.done))
    })
    const bodies: string[] = []
    const [first] = await host.list()
    for await (const { event } of host.events(first?.id ?? '')) bodies.push(JSON.stringify(event))
    await host.close()
    return { rate: (bodies.length * runs) / (wallMs / 1000), bodies }
  })
}

/** The same rows of every run, one savepoint a unit, one commit a round of all runs. */
async function bareRate(_n: number, bodies: readonly string[]): Promise<number> {
  return withFolder(async (folder) => {
    const database = openDatabase(join(folder, 'journal.db'), 'FULL')
    database.exec(
      'CREATE TABLE events (position INTEGER PRIMARY KEY, run INTEGER, seq INTEGER, at INTEGER, body TEXT) STRICT;' +
        'CREATE UNIQUE INDEX events_run_seq ON events (run, seq)',
    )
    const statement = {
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      savepoint: database.prepare('SAVEPOINT unit'),
      release: database.prepare('RELEASE unit'),
      insert: database.prepare('INSERT INTO events (run, seq, at, body) VALUES (?, ?, ?, ?)'),
    }
    const { wallMs } = await costOf(() => {
      bodies.forEach((body, index) => {
        statement.begin.run()
        for (let run = 1; run <= runs; run++) {
          statement.savepoint.run()
          statement.insert.run(run, index + 1, Date.now(), body)
          statement.release.run()
        }
        statement.commit.run()
      })
    })
    database.close()
    return (bodies.length * runs) / (wallMs / 1000)
  })
}
