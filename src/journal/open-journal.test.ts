import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { watchDatabase } from '../testing/watched-database.ts'
import { note, writeRun } from '../testing/write-run.ts'
import { type Database, openDatabase } from './database.ts'
import { openStore } from './open-store.ts'
import { schemaVersion } from './schema.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-journal-'))
  path = join(folder, 'state', 'journal.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pragma = (database: Database, name: string): unknown =>
  Object.values(Object(database.prepare(`PRAGMA ${name}`).get()))[0]

const bits = (file: string): string => (statSync(file).mode & 0o777).toString(8)

/** A file of this schema with a run in it, closed. */
async function makeJournal(): Promise<void> {
  const journal = openStore({ path })
  await (await writeRun(journal, { name: 'kept' })).write(note())
  await journal.close()
}

/** Changes a file with foreign SQL. */
function meddle(sql: string, file = path): void {
  const database = openDatabase(file, 'FULL')
  database.exec(sql)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

describe('S1: on every open', () => {
  test.each([
    ['FULL', 2],
    ['NORMAL', 1],
  ] as const)('WAL and synchronous %s are set', (synchronous, level) => {
    for (let opened = 1; opened <= 2; opened++) {
      const database = openDatabase(join(folder, 'a.db'), synchronous)
      expect(pragma(database, 'journal_mode')).toBe('wal')
      expect(pragma(database, 'synchronous')).toBe(level)
      expect(pragma(database, 'foreign_keys')).toBe(1)
      database.close()
    }
  })

  test('the files and the folder are private to their owner, including the files beside the database', async () => {
    const journal = openStore({ path })
    await (await writeRun(journal)).write(note())
    expect(readdirSync(dirname(path)).toSorted()).toEqual([
      'journal.db',
      'journal.db-shm',
      'journal.db-wal',
    ])
    for (const file of readdirSync(dirname(path))) {
      expect(bits(join(dirname(path), file))).toBe('600')
    }
    expect(bits(dirname(path))).toBe('700')
    await journal.close()
  })

  test('a file that others can read is made private', async () => {
    await makeJournal()
    chmodSync(path, 0o644)
    await openStore({ path }).close()
    expect(bits(path)).toBe('600')
  })

  test('everything written is there, in one file', async () => {
    await makeJournal()
    for (const name of readdirSync(dirname(path))) {
      if (name !== 'journal.db') rmSync(join(dirname(path), name))
    }
    const journal = openStore({ path })
    expect(await journal.findRun('kept')).toMatchObject({ lastSeq: 2, status: 'pending' })
    expect(await journal.integrityProblems()).toEqual([])
    await journal.close()
  })
})

describe('a foreign file is refused as damaged, and its bytes are unchanged', () => {
  const header = (bytes: number): Buffer => {
    openDatabase(join(folder, 'sample.db'), 'FULL').exec('CREATE TABLE a (b)')
    meddle('INSERT INTO a VALUES (1)', join(folder, 'sample.db'))
    return readFileSync(join(folder, 'sample.db')).subarray(0, bytes)
  }

  test.each<[string, () => Buffer]>([
    ['text', () => Buffer.from('Dear diary,\n'.repeat(100))],
    ['a few bytes', () => Buffer.from('x')],
    ['a truncated header', () => header(60)],
    ['a header with noise behind it', () => Buffer.concat([header(100), Buffer.alloc(9000, 7)])],
    ['a database that is truncated in the middle of a page', () => header(5000)],
  ])('%s', (_name, content) => {
    const file = join(folder, 'other.db')
    writeFileSync(file, content())
    const before = readFileSync(file)
    expect(() => openStore({ path: file })).toThrow(
      expect.objectContaining({ code: 'store-damaged' }),
    )
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('a truncated journal', async () => {
    await makeJournal()
    truncateSync(path, statSync(path).size / 2)
    const before = readFileSync(path)
    expect(() => openStore({ path })).toThrow(
      expect.objectContaining({
        code: 'store-damaged',
        message: expect.stringContaining('it is truncated'),
      }),
    )
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test.each([
    ['with its own id', 'PRAGMA application_id = 7; CREATE TABLE mine (a)'],
    ['without one', 'CREATE TABLE mine (a); INSERT INTO mine VALUES (1)'],
    ['with its own version', 'CREATE TABLE mine (a); PRAGMA user_version = 1'],
    ['in the old journal mode', 'CREATE TABLE mine (a); PRAGMA journal_mode = DELETE'],
  ])("another application's database %s", (_name, sql) => {
    const file = join(folder, 'other.db')
    meddle(sql, file)
    const before = readFileSync(file)
    expect(() => openStore({ path: file })).toThrow(
      expect.objectContaining({ code: 'store-damaged' }),
    )
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test("another application's database that is still in its log", () => {
    const file = join(folder, 'other.db')
    const open = openDatabase(file, 'FULL')
    open.exec('CREATE TABLE mine (a)')
    expect(() => openStore({ path: file })).toThrow(
      expect.objectContaining({ code: 'store-damaged' }),
    )
    expect(open.prepare('SELECT name FROM sqlite_master').all()).toEqual([{ name: 'mine' }])
    open.close()
  })

  test('the message says what to do', () => {
    const file = join(folder, 'other.db')
    writeFileSync(file, 'text')
    expect(() => openStore({ path: file })).toThrow(/was not changed.*backup/s)
  })

  test('a folder at its path is refused', () => {
    expect(() => openStore({ path: folder })).toThrow(
      expect.objectContaining({ code: 'store-damaged' }),
    )
  })

  test('a named pipe at its path is refused without blocking', () => {
    const pipe = join(folder, 'pipe.db')
    execFileSync('mkfifo', [pipe])
    expect(() => openStore({ path: pipe })).toThrow(/not a regular file/)
  })

  test('an empty file is refused if there is content beside it', () => {
    mkdirSync(join(folder, 'blobs', 'ab'), { recursive: true })
    const file = join(folder, 'journal.db')
    writeFileSync(file, '')
    expect(() => openStore({ path: file })).toThrow(
      expect.objectContaining({ code: 'store-damaged' }),
    )
    expect(statSync(file).size).toBe(0)
  })

  test('an empty file becomes a journal', async () => {
    const file = join(folder, 'empty.db')
    writeFileSync(file, '')
    const journal = openStore({ path: file })
    expect(await journal.listRuns()).toEqual([])
    await journal.close()
  })
})

describe('a newer file', () => {
  test('is refused with advice, and stays unchanged', async () => {
    await makeJournal()
    meddle(`PRAGMA user_version = ${schemaVersion + 1}`)
    const before = readFileSync(path)
    expect(() => openStore({ path })).toThrow(
      expect.objectContaining({ code: 'store-newer', message: expect.stringContaining('Upgrade') }),
    )
    expect(readFileSync(path).equals(before)).toBe(true)
  })
})

describe('a migration', () => {
  /** Every point at which a process may die while it creates the tables. */
  function openAndFailAt(failAt: number): {
    readonly statements: number
    readonly failed: boolean
  } {
    let statements = 0
    const watched = watchDatabase(openDatabase(path, 'FULL'), {
      before() {
        statements++
        if (statements === failAt) throw new Error('killed')
      },
      after: () => undefined,
    })
    try {
      openStore({ path, database: watched })
      watched.close()
      return { statements, failed: false }
    } catch {
      return { statements, failed: true }
    }
  }

  test('that is killed at any point leaves a file that opens and works', async () => {
    path = join(folder, 'journal.db')
    for (let failAt = 1; openAndFailAt(failAt).failed; failAt++) {
      const journal = openStore({ path })
      await (await writeRun(journal)).write(note())
      expect(await journal.integrityProblems()).toEqual([])
      await journal.close()
      rmSync(path)
    }
    expect(openAndFailAt(0).failed).toBe(false)
  })

  test('is done once, by the first process', async () => {
    const first = openStore({ path })
    const second = openStore({ path })
    await writeRun(first, { name: 'one' })
    await writeRun(second, { name: 'two' })
    expect((await first.listRuns()).map(({ name }) => name)).toEqual(['two', 'one'])
    await first.close()
    await second.close()
  })
})

test('a journal in memory leaves no file', async () => {
  const journal = openStore({ path: ':memory:' })
  await (await writeRun(journal)).write(note())
  await journal.close()
  expect(readdirSync(folder)).toEqual([])
})
