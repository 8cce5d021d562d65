import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { leaseTtlMs, type Store, streamEvents } from '../engine/index.ts'
import type { BlobId, RunCreated, RunEvent, RunId } from '../loop/index.ts'
import { createOwnerId, localOwners } from '../system/index.ts'
import { diskError, watchDatabase } from '../testing/watched-database.ts'
import { note, type WrittenRun, writeRun } from '../testing/write-run.ts'
import { type Database, openDatabase } from './database.ts'
import { migrations } from './migrations.ts'
import { openStore } from './open-store.ts'
import { migrate } from './schema.ts'

let folder: string
let path: string
let nowMs: number
const open: Store[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-remove-'))
  path = join(folder, 'journal.db')
  nowMs = 1_000_000
})

afterEach(async () => {
  for (const journal of open.splice(0)) await journal.close()
  rmSync(folder, { recursive: true, force: true })
})

function openJournal(database?: Database): Store {
  const given = database === undefined ? {} : { database }
  const journal = openStore({ owners: localOwners, path, now: () => nowMs, ...given })
  open.push(journal)
  return journal
}

const blob = (text: string): BlobId => text.padEnd(64, '0') as BlobId

const ended: readonly RunEvent[] = [
  { type: 'run-started', owner: 'me', fence: 1 },
  { type: 'iteration-started', iteration: 1 },
  { type: 'iteration-ended', iteration: 1, ending: { type: 'continue' } },
  note('long enough for a snapshot', 40_000),
  { type: 'run-ended', outcome: { type: 'completed', condition: 'enough' } },
]

/** A run with a row in each table, which has ended and is not held. */
async function endedRun(journal: Store, name: string): Promise<WrittenRun> {
  const written = await writeRun(journal, { name })
  const lease = await written.take(createOwnerId())
  await journal.recordDecision(written.run, { type: 'pause' }, 'me', nowMs)
  await journal.append(lease, written.unit(ended, { blobs: [blob('shared'), blob(name)] }))
  await journal.release(lease)
  return written
}

const tables = ['runs', 'events', 'snapshots', 'checkpoints', 'decisions', 'leases']

/** The highest value in a column. */
function highest(column: string, table: string): number {
  const database = openDatabase(path, 'NORMAL')
  const row = database.prepare(`SELECT max(${column}) AS number FROM ${table}`).get()
  database.close()
  return (row as { number: number }).number
}

/** The number of rows of each kind, and the referenced content. */
function rows(): Record<string, unknown> {
  const database = openDatabase(path, 'NORMAL')
  const count = (table: string): unknown =>
    (database.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows
  const counts = Object.fromEntries(tables.map((table) => [table, count(table)]))
  const named = database.prepare('SELECT hash, run FROM named_content').all()
  database.close()
  return { ...counts, named }
}

describe('a run that is removed', () => {
  test('is gone from every table, and others are unchanged', async () => {
    const journal = openJournal()
    const kept = await endedRun(journal, 'kept')
    const before = rows()
    expect(Object.values(before)).not.toContain(0)
    const { run } = await endedRun(journal, 'gone')
    await journal.removeRun(run)
    expect(rows()).toEqual(before)
    expect((await journal.listRuns()).map(({ name }) => name)).toEqual(['kept'])
    for (const look of [journal.findRun('gone'), journal.read(run), journal.checkpoints(run)]) {
      await expect(look).rejects.toMatchObject({ code: 'unknown-run' })
    }
    expect((await journal.read(kept.run)).length).toBe(kept.state.seq)
    expect((await journal.namedContent()).map(({ hash }) => hash)).toEqual(
      expect.arrayContaining([blob('shared'), blob('kept')]),
    )
    expect(await journal.integrityProblems()).toEqual([])
  })

  test('frees its name, and cannot be removed twice', async () => {
    const journal = openJournal()
    const { run } = await endedRun(journal, 'again')
    expect(await journal.hasRemoved()).toBe(false)
    await journal.removeRun(run)
    expect(await journal.hasRemoved()).toBe(true)
    await expect(journal.removeRun(run)).rejects.toMatchObject({ code: 'unknown-run' })
    await endedRun(journal, 'again')
    expect((await journal.findRun('again')).status).toBe('completed')
  })

  test('M2: passes neither its key nor its positions on to others, also in another process', async () => {
    const [journal, other] = [openJournal(), openJournal()]
    const frozen = await writeRun(journal, { name: 'frozen' })
    await frozen.take(createOwnerId())
    await frozen.write(note('one'), note('two'))
    const [key, position] = [highest('key', 'runs'), highest('position', 'events')]
    nowMs += leaseTtlMs + 1
    await other.removeRun(frozen.run, { force: true })
    const next = await writeRun(other, { name: 'next' })
    await next.take(createOwnerId())
    await expect(frozen.write(note('three'))).rejects.toMatchObject({ code: 'fenced' })
    await expect(journal.acquire(frozen.run, createOwnerId())).rejects.toMatchObject({
      code: 'unknown-run',
    })
    expect(highest('key', 'runs')).toBeGreaterThan(key)
    const after = await journal.readStore({ afterPosition: position, limit: 9 })
    expect(after.map(({ run }) => run)).toEqual([next.run])
  })

  test('ends event streams of it, here and in another process', async () => {
    const [journal, other] = [openJournal(), openJournal()]
    const { run, write } = await writeRun(journal)
    await write(note())
    await journal.release({ run, owner: `owner of run ${run}`, fence: 1 })
    let [reading, bothRead] = [2, (): void => undefined]
    const read = new Promise<void>((resolve) => {
      bothRead = resolve
    })
    const follow = async (from: Store): Promise<void> => {
      for await (const { seq } of streamEvents(from, run)) {
        if (seq === 2 && --reading === 0) bothRead()
      }
    }
    const ends = Promise.allSettled([follow(journal), follow(other)])
    await read
    await journal.removeRun(run, { force: true })
    const gone = { status: 'rejected', reason: { code: 'unknown-run' } }
    expect(await ends).toMatchObject([gone, gone])
  })

  test('can no longer be forked by a process that had read it before', async () => {
    const journal = openJournal()
    const { run } = await endedRun(journal, 'origin')
    const [first] = await journal.read(run, { limit: 1 })
    await journal.removeRun(run)
    const event = { ...(first?.event as RunCreated), origin: { type: 'fork', run, iteration: 1 } }
    await expect(
      journal.createRun({
        id: 'fork' as RunId,
        name: 'fork',
        loop: 'written',
        atMs: 1,
        event: event as RunCreated,
        blobs: [blob('origin')],
        trees: [],
      }),
    ).rejects.toMatchObject({ code: 'unknown-run' })
    expect(await journal.listRuns()).toEqual([])
  })
})

test('a file from before runs could be removed is migrated', async () => {
  const database = openDatabase(path, 'NORMAL')
  migrate(database, path, migrations.slice(0, 1))
  database.exec(
    "INSERT INTO runs VALUES (1, 'id-1', 'old', 'plain', 'completed', 0, '/shop', 1); " +
      "INSERT INTO events VALUES (1, 1, 1, 1, 0, '{}')",
  )
  database.close()
  const journal = openJournal()
  await journal.removeRun((await journal.findRun('old')).id)
  await endedRun(journal, 'new')
  expect((await journal.listRuns()).map(({ name }) => name)).toEqual(['new'])
})

describe('a run is not removed', () => {
  test('M1: while a process drives it, with or without force', async () => {
    const journal = openJournal()
    const { run, take } = await writeRun(journal)
    await take(createOwnerId())
    const before = rows()
    for (const force of [true, false]) {
      await expect(journal.removeRun(run, { force })).rejects.toMatchObject({ code: 'run-busy' })
    }
    expect(rows()).toEqual(before)
  })

  test('before its end without force', async () => {
    const journal = openJournal()
    const { run, write } = await writeRun(journal, { name: 'resting' })
    await write({ type: 'run-suspended', reason: '' })
    nowMs += leaseTtlMs + 1
    await expect(journal.removeRun(run)).rejects.toMatchObject({
      code: 'wrong-status',
      message: expect.stringMatching(/"resting" has not ended \(suspended\)/),
    })
    await journal.removeRun(run, { force: true })
    expect(await journal.listRuns()).toEqual([])
  })

  test('partially: if any statement fails, the whole run is still there', async () => {
    const { run } = await endedRun(openJournal(), 'whole')
    const before = rows()
    let [count, k] = [0, 0]
    const failing = openJournal(
      watchDatabase(openDatabase(path, 'NORMAL'), {
        before: (sql) => {
          if (++count === k) throw diskError('EIO', sql)
        },
        after: () => undefined,
      }),
    )
    let failed = 0
    for (let at = 1; ; at++) {
      ;[count, k] = [0, at]
      const result = await failing.removeRun(run).catch((error: unknown) => error)
      if (result === undefined) break
      expect(result).toMatchObject({ code: 'store-failed' })
      expect(rows()).toEqual(before)
      failed++
    }
    expect(failed).toBeGreaterThan(tables.length)
    expect(rows()).toMatchObject({ runs: 0, events: 0, named: [] })
  })
})
