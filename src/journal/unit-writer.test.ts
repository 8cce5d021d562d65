import { beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../engine/index.ts'
import type { BlobId, RunEvent, TreeId } from '../loop/index.ts'
import { note, type WrittenRun, writeRun } from '../testing/write-run.ts'
import { type Database, openDatabase } from './database.ts'
import { openStore } from './open-store.ts'

let database: Database
let journal: Store

beforeEach(() => {
  database = openDatabase(':memory:', 'FULL')
  journal = openStore({ path: ':memory:', database })
})

const tailMin = 32 * 1024

const count = (sql: string): number => Number(Object.values(Object(database.prepare(sql).get()))[0])
const snapshotBytes = (): number => count('SELECT coalesce(max(length(body)), 0) FROM snapshots')
const tailBytes = (): number =>
  count(
    'SELECT coalesce(sum(length(body)), 0) FROM events ' +
      'WHERE seq > (SELECT coalesce(max(seq), 1) FROM snapshots)',
  )

/** An iteration with this much progress that also wrote this many characters. */
function* iterationOf(number: number, progressChars: number, chars: number): Generator<RunEvent[]> {
  yield [{ type: 'iteration-started', iteration: number }]
  yield [note('on its way', chars)]
  const progress = { set: 'p'.repeat(progressChars) }
  yield [{ type: 'iteration-ended', iteration: number, ending: { type: 'continue' }, progress }]
}

async function iterate(written: WrittenRun, number: number, progress: number, chars: number) {
  for (const events of iterationOf(number, progress, chars)) await written.write(...events)
}

describe('a snapshot', () => {
  test.each([
    ['small', 10, 1000],
    ['large', 90_000, 2000],
    ['larger than what it comes from', 200_000, 100],
  ])(
    'of a %s state: the tail after it is never larger than it, or 32 KiB',
    async (_name, size, chars) => {
      const written = await writeRun(journal)
      let snapshots = 0
      for (let number = 1; number <= 60; number++) {
        await iterate(written, number, size, chars)
        expect(tailBytes()).toBeLessThan(Math.max(tailMin, snapshotBytes()))
        snapshots = Math.max(snapshots, count('SELECT count(*) FROM snapshots'))
      }
      expect(snapshots).toBe(1)
      const kept = await journal.snapshot(written.run)
      expect(kept?.seq).toBeLessThanOrEqual(written.state.seq)
      expect(kept?.open).toBeUndefined()
    },
  )

  test('is also written if each process writes less than that before another takes over', async () => {
    const written = await writeRun(journal)
    for (let number = 1; number <= 20; number++) {
      const lease = await written.take(`process ${number}`)
      await iterate(written, number, 10, 5000)
      await journal.release(lease)
      expect(tailBytes()).toBeLessThan(Math.max(tailMin, snapshotBytes()))
    }
  })

  test('is not written in the middle of an iteration, however much it writes', async () => {
    const written = await writeRun(journal)
    await written.write({ type: 'iteration-started', iteration: 1 })
    for (let n = 0; n < 50; n++) await written.write(note('much', 5000))
    expect(await journal.snapshot(written.run)).toBeUndefined()
    await written.write({ type: 'iteration-ended', iteration: 1, ending: { type: 'continue' } })
    expect((await journal.snapshot(written.run))?.seq).toBe(written.state.seq)
  })

  test('equals the state that the events produce', async () => {
    const written = await writeRun(journal)
    await iterate(written, 1, 50, 40_000)
    expect(await journal.snapshot(written.run)).toEqual(JSON.parse(JSON.stringify(written.state)))
  })
})

test('content that events name is recorded once for each run, separately for blobs and trees', async () => {
  const [blob, tree, other] = ['b1', 't1', 'b2'] as const
  const blobs = [blob, other] as unknown as BlobId[]
  const trees = [tree] as unknown as TreeId[]
  for (let time = 0; time < 2; time++) {
    const written = await writeRun(journal)
    const lease = await written.take()
    await journal.append(lease, written.unit([note()], { blobs, trees }))
    await journal.append(lease, written.unit([note()], { blobs: blobs.slice(0, 1) }))
  }
  const named = await journal.namedContent()
  expect(named).toHaveLength(3)
  expect(named).toEqual(
    expect.arrayContaining([
      { hash: 'b1', isTree: false },
      { hash: 'b2', isTree: false },
      { hash: 't1', isTree: true },
    ]),
  )
})

test('content of a refused unit is not recorded', async () => {
  const written = await writeRun(journal)
  const lease = await written.take()
  await journal.release(lease)
  await journal.acquire(written.run, 'newer')
  const blobs = ['b1'] as unknown as BlobId[]
  await expect(journal.append(lease, written.unit([note()], { blobs }))).rejects.toMatchObject({
    code: 'fenced',
  })
  expect(await journal.namedContent()).toEqual([])
})
