/** A record of many runs, made of a few real ones: what the engine wrote, again and again. */

import { join } from 'node:path'
import { type LoopType, openHost } from 'loopwright'
import { openDatabase } from '#src/journal/index.ts'
import { modelText } from './workload.ts'

export interface LargeRecord {
  readonly runs: number
  readonly events: number
  /** The ids of runs like the others, and of one with a long history. */
  readonly some: readonly string[]
  readonly long: string
}

/** Like a run of a plain loop: a prompt, an agent that says something and calls, checks. */
const working = (asks: boolean): LoopType<null, null, { last: number }, number> => ({
  name: 'bench-work',
  createContext: () => null,
  async iterate(_context, it) {
    await it.step('prompt', () => ({ prompt: modelText(it.number), tokens: 250, cuts: [] }))
    await it.agent('maker', { prompt: modelText(it.number) })
    await it.check()
    if (asks) await it.ask('go-on', { text: 'Go on?', options: ['yes', 'no'], default: 'no' })
    return it.number
  },
  extractProgress: (last) => ({ last }),
})

async function leave(folder: string, iterations: number, asks: boolean): Promise<string> {
  const host = await openHost({ folder, synchronous: 'NORMAL' })
  const handle = await host.start(working(asks), {
    input: null,
    limits: { iterations, tokens: 1e12, costMicros: 1e12 },
    agents: {
      async work(_role, _task, context) {
        for (let turn = 1; turn <= 5; turn++) {
          const reserved = await context.reserve({ tokens: 1000, costMicros: 1000 })
          context.note({ type: 'said', text: modelText(turn).slice(0, 200) })
          await reserved.settle({ tokens: 10, costMicros: 10 })
        }
        const usage = { tokens: 0, costMicros: 0 }
        return { status: 'done', text: 'Done.', usage, turns: 5 }
      },
    },
    checks: { tests: async () => ({ status: 'not-met', exitCode: 1, output: modelText(7) }) },
  })
  if (asks) {
    for await (const { event } of handle.events()) {
      if (event.type === 'step-started' && event.question !== undefined) break
    }
    handle.shutDown({ now: true })
  }
  await handle.done
  const { id } = handle
  await host.close()
  return id
}

/** `runs` of about 100 events each, one in fifty of them with a question, and a long one. */
export async function makeLargeRecord(
  folder: string,
  runs: number,
  longIterations: number,
): Promise<LargeRecord> {
  const ended = await leave(folder, 4, false)
  const asking = await leave(folder, 1, true)
  const long = await leave(folder, longIterations, false)
  const database = openDatabase(join(folder, 'journal.db'), 'NORMAL')
  database.exec('BEGIN')
  copy(database, ended, Math.round(runs * 0.98), 'ended')
  copy(database, asking, Math.round(runs * 0.02), 'asking')
  database.exec('COMMIT; ANALYZE')
  const one = (sql: string): number =>
    Number(Object.values(database.prepare(sql).get() as object)[0])
  const some = database
    .prepare("SELECT id FROM runs WHERE name LIKE 'ended-%' ORDER BY key % 977, key LIMIT 200")
    .all() as { id: string }[]
  const made = {
    runs: one('SELECT count(*) FROM runs'),
    events: one('SELECT count(*) FROM events'),
    some: some.map(({ id }) => id),
    long,
  }
  database.close()
  return made
}

type Database = ReturnType<typeof openDatabase>

function copy(database: Database, id: string, times: number, name: string): void {
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers
    WHERE n < ${times})`
  const run = `(SELECT key FROM runs WHERE id = '${id}')`
  const first = `(SELECT max(key) FROM runs WHERE name NOT LIKE '${name}-%')`
  database.exec(`
    INSERT INTO runs (key, id, name, loop, status, first_iteration, workspace, repository, created_at)
      ${numbers} SELECT ${first} + n, '${name}-' || substr('00000' || n, -6) || substr(id, 12),
        '${name}-' || n, loop, status, 0, '/home/me/work-' || (n % 50), NULL, created_at + n
      FROM numbers, runs WHERE runs.id = '${id}';
    INSERT INTO events (position, run, seq, at, type, body)
      ${numbers} SELECT (SELECT max(position) FROM events)
          + (n - 1) * (SELECT count(*) FROM events WHERE run = ${run}) + seq,
        ${first} + n, seq, at, type, body
      FROM numbers CROSS JOIN events WHERE events.run = ${run};`)
  for (const [table, columns] of [
    ['checkpoints', 'iteration, seq'],
    ['snapshots', 'seq, body'],
    ['summaries', 'body'],
    ['questions', 'question, step, seq, asked_at, deadline_at'],
  ] as const) {
    database.exec(`INSERT INTO ${table} (run, ${columns})
      ${numbers} SELECT ${first} + n, ${columns} FROM numbers CROSS JOIN ${table}
      WHERE ${table}.run = ${run}`)
  }
}
