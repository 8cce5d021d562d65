import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { note, writeRun } from '../testing/write-run.ts'
import { openStore } from './open-store.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-watch-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Resolves when it was called. */
function called(): { readonly promise: Promise<void>; readonly call: () => void; times(): number } {
  let times = 0
  let notice: () => void = () => undefined
  const promise = new Promise<void>((resolve) => {
    notice = resolve
  })
  const call = (): void => {
    times++
    notice()
  }
  return { promise, call, times: () => times }
}

describe('a watcher', () => {
  test('is immediately notified of writes of its own process, by topic', async () => {
    const journal = openStore({ path: ':memory:' })
    const events = called()
    const decisions = called()
    const { run, write } = await writeRun(journal)
    journal.watch('events', events.call)
    journal.watch('decisions', decisions.call)
    await write(note())
    expect([events.times(), decisions.times()]).toEqual([1, 0])
    await journal.recordDecision(run, { type: 'pause' }, 'ada', 5)
    expect([events.times(), decisions.times()]).toEqual([1, 1])
    await journal.close()
  })

  test('is not notified after it was stopped or the journal was closed', async () => {
    const journal = openStore({ path: ':memory:' })
    const stopped = called()
    const { write } = await writeRun(journal)
    const stop = journal.watch('events', stopped.call)
    stop()
    stop()
    await write(note())
    await journal.close()
    expect(stopped.times()).toBe(0)
  })

  test('is notified once more when the journal closes, so that no caller waits forever', async () => {
    const journal = openStore({ path: ':memory:' })
    const waiting = called()
    journal.watch('events', waiting.call)
    await journal.close()
    await journal.close()
    expect(waiting.times()).toBe(1)
  })

  test('is notified a moment later of writes of another connection, for both topics', async () => {
    const path = join(folder, 'journal.db')
    const [mine, other] = [openStore({ path }), openStore({ path })]
    const events = called()
    const decisions = called()
    mine.watch('events', events.call)
    mine.watch('decisions', decisions.call)
    const { run } = await writeRun(other)
    await Promise.all([events.promise, decisions.promise])
    expect((await mine.findRun(run)).status).toBe('pending')
    await mine.close()
    await other.close()
  })
})
