import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { memoryLimits, type NewMemory } from '../../engine/index.ts'
import { note, writeRun } from '../../testing/write-run.ts'
import { openDatabase } from '../database.ts'
import { openStore } from '../open-store.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-memory-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const scope = { loop: 'triage' }

const fact = (key: string): NewMemory => ({
  ...scope,
  key,
  text: `about ${key}`,
  tags: [],
  source: 'loop:triage',
  atMs: 1,
})

/** A journal with a fact, damaged by this SQL. */
async function damaged(sql: string) {
  const path = join(folder, 'journal.db')
  const whole = openStore({ path })
  await whole.memory.add(fact('a'), memoryLimits)
  await whole.close()
  const database = openDatabase(path, 'FULL')
  database.exec(sql)
  database.close()
  return openStore({ path })
}

test('a journal without the index of its memory has its newest facts and works for runs', async () => {
  const store = await damaged('DROP TABLE memory_words')
  try {
    expect(await store.memory.newest(scope, 5)).toMatchObject([{ key: 'a' }])
    await expect(store.memory.relevant(scope, 'about', 5)).rejects.toThrow(/The journal/)
    await (await writeRun(store, { name: 'otter' })).write(note())
    expect(await store.listRuns()).toMatchObject([{ name: 'otter' }])
  } finally {
    await store.close()
  }
})

test('a journal without the tables of its memory works for runs', async () => {
  const store = await damaged('DROP TABLE memory_words; DROP TABLE memories')
  try {
    await expect(store.memory.newest(scope, 5)).rejects.toThrow(/The journal failed/)
    await expect(store.memory.add(fact('b'), memoryLimits)).rejects.toThrow(/The journal failed/)
    await (await writeRun(store, { name: 'otter' })).write(note())
    expect(await store.listRuns()).toMatchObject([{ name: 'otter' }])
  } finally {
    await store.close()
  }
})
