import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../test/after.ts'
import { writeRun } from '../testing/write-run.ts'
import { openDatabase } from './database.ts'
import { openStore } from './open-store.ts'

test('a damaged row does not prevent reading the others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-queue-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'journal.db')
  const journal = openStore({ path })
  afterStory(() => journal.close())
  const row = { priority: 0, queuedAtMs: 1, request: { attended: true }, tries: 0 }
  for (const name of ['calm-otter', 'brave-owl']) {
    const { run } = await writeRun(journal, { name })
    await journal.queue.put(run, row)
  }
  const database = openDatabase(path, 'NORMAL')
  database.exec("UPDATE queue SET request = '{garbage' WHERE run = 1")
  database.close()
  const rows = await journal.queue.list()
  expect(rows.map(({ name, request }) => [name, request])).toEqual([
    ['calm-otter', null],
    ['brave-owl', { attended: true }],
  ])
})
