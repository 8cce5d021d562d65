// Rows of schedules, levels and memory whose content is damaged: the daemon starts, names them, and goes on with the others.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, test } from 'vitest'
import { addEntry, openBook, toRules } from '../src/daemon/schedules/book.ts'
import { openSchedules } from '../src/daemon/schedules/open-schedules.ts'
import { firstState } from '../src/daemon/schedules/rules/due.ts'
import { memoryLimits, systemClock } from '../src/engine/index.ts'
import { type Host, openHost } from '../src/host/index.ts'
import { readDigest } from '../src/launch/deliver/read-digest.ts'
import { updateLevels } from '../src/launch/levels/update-levels.ts'
import { afterStory } from './after.ts'
import { scheduleFor } from './schedules/simulate.ts'

async function damaged(...statements: readonly string[]): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-damaged-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  const state = join(folder, 'state')
  const host = await openHost({ folder: state })
  const { schedules, memory, trust } = host.journal
  const definition = scheduleFor({ cadence: 'daily 09:00', timeZone: 'UTC' })
  const nowMs = Date.now()
  for (const name of ['bad', 'good']) {
    const first = firstState(toRules(definition, nowMs), { nowMs, fromNext: true })
    await addEntry(schedules, { name, definition, state: first, createdAtMs: nowMs })
    const fact = { loop: name, key: 'k', text: `${name} fact`, tags: ['a'], atMs: nowMs }
    await memory.add({ ...fact, source: 'loop:x' }, memoryLimits)
    const change = { loop: name, kind: 'merge', key: 'k', cause: 'granted', level: 2 } as const
    const by = { by: 'ann', reason: 'r', atMs: nowMs, details: { to: 2 } }
    await trust.record({ ...change, ...by, starting: 1 })
  }
  await host.close()
  const database = new DatabaseSync(join(state, 'journal.db'))
  for (const sql of statements) database.exec(sql)
  database.close()
  const again = await openHost({ folder: state })
  afterStory(() => again.close())
  return again
}

const all = [
  "UPDATE schedules SET state = '{\"next' WHERE name = 'bad'",
  "UPDATE memories SET tags = 'no' WHERE loop = 'bad'",
  "UPDATE level_changes SET details = '{', level = 9 WHERE loop = 'bad'",
] as const

test('each is named, and the others are read', async () => {
  const { journal, ...host } = await damaged(...all)
  expect((await journal.damagedRows()).map((line) => line.split(' is damaged')[0])).toEqual([
    'schedule "bad"',
    expect.stringMatching(/^level change \d+ of loop "bad"$/),
    expect.stringMatching(/^memory m\d+ of loop "bad"$/),
  ])
  const book = await openBook(journal.schedules)
  expect(book.unreadable().map(({ name }) => name)).toEqual(['bad'])
  expect(book.entries().map(({ name }) => name)).toEqual(['good'])
  const facts = await journal.memory.list({ limit: 9 })
  expect(facts.map(({ loop, tags }) => [loop, tags])).toEqual([
    ['good', ['a']],
    ['bad', []],
  ])
  // Never more than the lowest level.
  const levels = await journal.trust.changes({ limit: 9 })
  expect(levels.map(({ loop, level }) => [loop, level])).toEqual([
    ['good', 2],
    ['bad', 1],
  ])
  const base = { ...host, journal }
  await updateLevels({ ...base, clock: systemClock })
  expect((await readDigest(base, 0, Date.now())).levels).toHaveLength(2)
})

test('the schedules of a daemon start', async () => {
  const host = await damaged(...all)
  const warned: string[] = []
  const log = {
    info: () => undefined,
    warn: (fields: object) => void warned.push(JSON.stringify(fields)),
    error: () => undefined,
  }
  const submit = () => Promise.reject(new Error('nothing is due'))
  const schedules = await openSchedules({ host, scheduler: { submit }, log })
  await schedules.close()
  expect(warned).toEqual([])
})

test('damaged settings of all schedules pause them: they may have been paused', async () => {
  const host = await damaged("UPDATE schedule_settings SET body = '{\"paused'")
  const book = await openBook(host.journal.schedules)
  expect(book.settings().paused?.reason).toContain('loopctl schedule resume --all')
})
