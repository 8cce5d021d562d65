import { beforeEach, describe, expect, test } from 'vitest'
import type { Lease, Store } from '../engine/index.ts'
import { diskError, watchDatabase } from '../testing/watched-database.ts'
import { note, type WrittenRun, writeRun } from '../testing/write-run.ts'
import { openDatabase } from './database.ts'
import { openStore } from './open-store.ts'

let journal: Store
let statements: string[]
/** Throws where a disk would fail. */
let disk: (sql: string) => void
/** Writes what waits. */
let flush: () => void

beforeEach(() => {
  statements = []
  disk = () => undefined
  flush = () => undefined
  const database = watchDatabase(openDatabase(':memory:', 'FULL'), {
    before: (sql) => disk(sql),
    after: (sql) => void statements.push(sql),
  })
  const schedule = (write: () => void): void => {
    flush = write
  }
  journal = openStore({ path: ':memory:', database, schedule })
})

const commits = (): number => statements.filter((sql) => sql === 'COMMIT').length

/** Runs that are held, and nothing committed since. */
async function heldRuns(count: number): Promise<(WrittenRun & { readonly lease: Lease })[]> {
  const runs = await Promise.all(Array.from({ length: count }, () => writeRun(journal)))
  const held = await Promise.all(runs.map(async (run) => ({ ...run, lease: await run.take() })))
  statements = []
  return held
}

const settled = async (writes: readonly Promise<void>[]): Promise<string[]> => {
  const results = await Promise.allSettled(writes)
  return results.map((one) => (one.status === 'fulfilled' ? 'kept' : String(one.reason.code)))
}

const messages = async (run: WrittenRun): Promise<string[]> =>
  (await journal.read(run.run)).flatMap(({ event }) =>
    event.type === 'warning' ? [event.message] : [],
  )

describe('units of several runs', () => {
  test('E1: share one commit, and none is acknowledged before it', async () => {
    const runs = await heldRuns(5)
    const acknowledged: number[] = []
    const writes = runs.map(async (run, index) => {
      await journal.append(run.lease, run.unit([note(`${index}`)]))
      acknowledged.push(index)
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(acknowledged).toEqual([])
    expect(commits()).toBe(0)
    flush()
    await Promise.all(writes)
    expect(commits()).toBe(1)
    expect(acknowledged).toEqual([0, 1, 2, 3, 4])
  })

  test('are not refused for what an earlier holder of the run asked for in the same commit', async () => {
    const [run, other] = await heldRuns(2)
    if (run === undefined || other === undefined) throw new Error('no run')
    await journal.release(run.lease)
    const lease = await run.take()
    const alone = [journal.renew(run.lease), journal.append(lease, run.unit([note('mine')]))]
    flush()
    expect(await settled(alone)).toEqual(['fenced', 'kept'])
    const among = [
      journal.renew(run.lease),
      journal.append(other.lease, other.unit([note('theirs')])),
      journal.append(lease, run.unit([note('mine again')])),
    ]
    flush()
    expect(await settled(among)).toEqual(['fenced', 'kept', 'kept'])
    expect(await messages(run)).toEqual(['mine', 'mine again'])
  })

  test('of one run in one commit keep their order', async () => {
    const [run] = await heldRuns(1)
    if (run === undefined) throw new Error('no run')
    const writes = ['a', 'b', 'c'].map((text) => journal.append(run.lease, run.unit([note(text)])))
    flush()
    await Promise.all(writes)
    expect(await messages(run)).toEqual(['a', 'b', 'c'])
  })

  test('L2: one that lost its lease, in the middle, takes nothing from the others', async () => {
    const [first, fenced, last] = await heldRuns(3)
    if (first === undefined || fenced === undefined || last === undefined) throw new Error('no run')
    await journal.release(fenced.lease)
    await journal.acquire(fenced.run, 'somebody else')
    statements = []
    const writes = [
      journal.append(first.lease, first.unit([note('first')])),
      journal.append(fenced.lease, fenced.unit([note('fenced')])),
      journal.append(fenced.lease, fenced.unit([note('after it')])),
      journal.append(last.lease, last.unit([note('last')])),
    ]
    flush()
    expect(await settled(writes)).toEqual(['kept', 'fenced', 'fenced', 'kept'])
    expect(commits()).toBe(1)
    expect(await messages(first)).toEqual(['first'])
    expect(await messages(fenced)).toEqual([])
    expect(await messages(last)).toEqual(['last'])
  })

  test('that build on one that was refused are refused with it', async () => {
    const [run, other] = await heldRuns(2)
    if (run === undefined || other === undefined) throw new Error('no run')
    const unknown = {
      type: 'decision-applied',
      id: 99,
      by: 'ada',
      decision: { type: 'pause' },
    } as const
    const writes = [
      journal.append(run.lease, run.unit([unknown])),
      journal.append(other.lease, other.unit([note('other')])),
      journal.append(run.lease, run.unit([note('follows')])),
    ]
    flush()
    expect(await settled(writes)).toEqual(['fenced', 'kept', 'fenced'])
    expect(await journal.read(run.run)).toHaveLength(1)
  })

  test.each(['BEGIN IMMEDIATE', 'SAVEPOINT unit', 'INSERT INTO events', 'RELEASE unit', 'COMMIT'])(
    'E1: are all rejected and nothing is kept when the disk fails at %s',
    async (at) => {
      const runs = await heldRuns(3)
      disk = (sql) => {
        if (sql.startsWith(at)) throw diskError('ENOSPC', at)
      }
      const writes = runs.map((run) => journal.append(run.lease, run.unit([note()])))
      flush()
      expect(await settled(writes)).toEqual(['store-failed', 'store-failed', 'store-failed'])
      disk = () => undefined
      for (const run of runs) expect(await messages(run)).toEqual([])
      // The disk works again: the next owner of the run continues from the last committed event.
      for (const { run, lease } of runs) {
        await journal.release(lease)
        const again = await journal.acquire(run, 'again')
        const { state } = await writeRun(journal)
        const events = [note('again')]
        const nothing = { boundary: undefined, blobs: [], trees: [] }
        const unit = { firstSeq: 2, atMs: 5, events, state: { ...state, seq: 2 }, ...nothing }
        const write = journal.append(again, unit)
        flush()
        await write
        expect((await journal.read(run)).map(({ seq }) => seq)).toEqual([1, 2])
      }
    },
  )
})

describe('events', () => {
  test('have gapless numbers in their run, and a growing position in the store', async () => {
    const runs = await heldRuns(3)
    for (let round = 0; round < 4; round++) {
      const writes = runs.map((run) => journal.append(run.lease, run.unit([note(), note()])))
      flush()
      await Promise.all(writes)
    }
    for (const { run } of runs) {
      const seqs = (await journal.read(run)).map(({ seq }) => seq)
      expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    }
    const positions = (await journal.readStore({ afterPosition: 0, limit: 100 })).map(
      ({ position }) => position,
    )
    expect(positions).toHaveLength(27)
    expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b))
  })

  test('are not written twice under one number', async () => {
    const [run] = await heldRuns(1)
    if (run === undefined) throw new Error('no run')
    const unit = run.unit([note('once')])
    const writes = [journal.append(run.lease, unit)]
    flush()
    writes.push(journal.append(run.lease, unit))
    flush()
    expect(await settled(writes)).toEqual(['kept', 'store-failed'])
    expect(await messages(run)).toEqual(['once'])
  })

  test('are read by range, up to a limit', async () => {
    const [run] = await heldRuns(1)
    if (run === undefined) throw new Error('no run')
    const write = journal.append(run.lease, run.unit(Array.from({ length: 9 }, () => note())))
    flush()
    await write
    const read = async (options: object) =>
      (await journal.read(run.run, options)).map(({ seq }) => seq)
    expect(await read({ afterSeq: 7 })).toEqual([8, 9, 10])
    expect(await read({ afterSeq: 2, toSeq: 5 })).toEqual([3, 4, 5])
    expect(await read({ limit: 2 })).toEqual([1, 2])
    expect(await read({ afterSeq: 10 })).toEqual([])
  })

  test('are returned as they were written, whatever they contain', async () => {
    const [run] = await heldRuns(1)
    if (run === undefined) throw new Error('no run')
    const texts = [
      '',
      '\u0000',
      '"quoted" \\ ',
      '🙂'.repeat(300),
      '\ud800',
      'line\nline',
      '{"type":',
    ]
    const write = journal.append(run.lease, run.unit(texts.map((text) => note(text))))
    flush()
    await write
    expect(await messages(run)).toEqual(texts)
  })
})

test('E10: a run that was acknowledged has its row; one whose row failed was not', async () => {
  await writeRun(journal, { name: 'kept' })
  expect((await journal.findRun('kept')).lastSeq).toBe(1)
  disk = (sql) => {
    if (sql === 'COMMIT') throw diskError('EIO', 'commit')
  }
  await expect(writeRun(journal, { name: 'lost' })).rejects.toMatchObject({ code: 'store-failed' })
  disk = () => undefined
  await expect(journal.findRun('lost')).rejects.toMatchObject({ code: 'unknown-run' })
})
