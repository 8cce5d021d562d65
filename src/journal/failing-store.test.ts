import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../engine/index.ts'
import { LoopError } from '../loop/index.ts'
import { diskError, watchDatabase } from '../testing/watched-database.ts'
import { writeRun } from '../testing/write-run.ts'
import { openDatabase } from './database.ts'
import { openStore } from './open-store.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-store-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A journal whose k-th statement fails. */
function openFailing(k: number): { journal: Store; statements: () => number } {
  const path = join(folder, 'journal.db')
  let count = 0
  const database = watchDatabase(openDatabase(path, 'NORMAL'), {
    before(sql) {
      if (++count === k) throw diskError('EIO', sql)
    },
    after: () => undefined,
  })
  return { journal: openStore({ path, database }), statements: () => count }
}

test('if any statement fails while opening, the error says what to do, and the next attempt works', async () => {
  const { journal, statements } = openFailing(0)
  const all = statements()
  await journal.close()
  rmSync(folder, { recursive: true })
  for (let k = 1; k <= all; k++) {
    folder = mkdtempSync(join(tmpdir(), 'loopwright-store-'))
    let error: unknown
    try {
      await openFailing(k).journal.close()
    } catch (caught) {
      error = caught
    }
    expect(error).toBeInstanceOf(LoopError)
    expect(error).toMatchObject({ code: 'store-failed', message: /Check the disk/ })
    await openFailing(0).journal.close()
    rmSync(folder, { recursive: true })
  }
})

test('watching writes of other processes survives a temporary failure of the store', async () => {
  const path = join(folder, 'journal.db')
  let fails = false
  let failed = 0
  const watched = watchDatabase(openDatabase(path, 'NORMAL'), {
    before(sql) {
      if (!fails || !sql.includes('data_version')) return
      failed++
      throw diskError('EIO', sql)
    },
    after: () => undefined,
  })
  const journal = openStore({ path, database: watched })
  const other = openStore({ path })
  fails = true
  let told = 0
  const stop = journal.watch('events', () => told++)
  while (failed < 3) await sleep(10)
  expect(told).toBe(0)
  fails = false
  while (told === 0) await sleep(10)
  stop()
  await journal.close()
  await other.close()
})

test('closing works even if the log cannot be checkpointed', async () => {
  const path = join(folder, 'journal.db')
  const database = watchDatabase(openDatabase(path, 'NORMAL'), {
    before(sql) {
      if (sql.includes('wal_checkpoint')) throw diskError('ENOSPC', sql)
    },
    after: () => undefined,
  })
  const journal = openStore({ path, database })
  await expect(journal.close()).resolves.toBeUndefined()
  await openStore({ path }).close()
})

test('a journal that another process locks for too long gives a specific error', async () => {
  const path = join(folder, 'journal.db')
  const journal = openStore({ path, patienceMs: 200 })
  const frozen = openDatabase(path, 'NORMAL')
  frozen.exec('BEGIN IMMEDIATE')
  await expect(writeRun(journal)).rejects.toMatchObject({
    code: 'store-failed',
    message: expect.stringContaining('Another process has the journal locked'),
  })
  frozen.exec('ROLLBACK')
  await writeRun(journal)
  frozen.close()
  await journal.close()
})
