import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../engine/index.ts'
import { writeRun } from '../testing/write-run.ts'
import { type Database, openDatabase } from './database.ts'
import { openStore } from './open-store.ts'

let folder: string
let journal: Store
/** Another process, as far as SQLite can tell. */
let other: Database

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-turns-'))
  const path = join(folder, 'journal.db')
  journal = openStore({ path })
  other = openDatabase(path, 'NORMAL')
})

afterEach(async () => {
  other.close()
  await journal.close()
  rmSync(folder, { recursive: true })
})

const names = async (): Promise<readonly string[]> =>
  (await journal.listRuns()).map(({ name }) => name)

test('while another process has the journal locked, writers wait in order and other work continues', async () => {
  const first = await writeRun(journal, { name: 'first' })
  await first.take()
  other.exec('BEGIN IMMEDIATE')
  const order: string[] = []
  const done = [
    journal.createRun({ ...newRun, id: newId('b'), name: 'second' }).then(() => order.push('run')),
    first
      .write({ type: 'warning', code: 'x', message: 'waits too' })
      .then(() => order.push('event')),
    journal
      .recordDecision(first.run, { type: 'pause' }, 'me', 1)
      .then(() => order.push('decision')),
  ]
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  await sleep(300)
  clearInterval(counting)
  expect(order).toEqual([])
  // A busy wait of SQLite would have left none.
  expect(turns).toBeGreaterThan(2)
  expect(await names()).toEqual(['first'])
  other.exec('ROLLBACK')
  await Promise.all(done)
  expect(order.toSorted()).toEqual(['decision', 'event', 'run'])
  expect(await names()).toEqual(['second', 'first'])
})

test('waiting units are written before a journal is closed', async () => {
  const first = await writeRun(journal, { name: 'first' })
  await first.take()
  other.exec('BEGIN IMMEDIATE')
  const written = first.write({ type: 'warning', code: 'x', message: 'the last' })
  const closed = journal.close()
  setTimeout(() => other.exec('ROLLBACK'), 50)
  await Promise.all([written, closed])
  journal = openStore({ path: join(folder, 'journal.db') })
  expect((await journal.read(first.run)).at(-1)?.event).toMatchObject({ message: 'the last' })
})

const newId = (text: string): never => text as never

const newRun = {
  loop: 'written',
  atMs: 1,
  event: { type: 'warning', code: 'x', message: '' },
  blobs: [],
  trees: [],
} as const
