import { beforeEach, describe, expect, test } from 'vitest'
import { leaseTtlMs, type Store } from '../engine/index.ts'
import type { LoopError } from '../loop/index.ts'
import { createOwnerId, localOwners, mayBeAlive } from '../system/index.ts'
import { note, writeRun } from '../testing/write-run.ts'
import { openStore } from './open-store.ts'

let journal: Store
let nowMs: number

beforeEach(() => {
  nowMs = 1_000_000
  journal = openStore({ owners: localOwners, path: ':memory:', now: () => nowMs })
})

/** Owners whose processes surely do not exist: the pid is larger than a kernel assigns. */
function deadOwner(): string {
  const [host, place, _pid, started, nonce] = createOwnerId().split('|')
  return [host, place, 2 ** 30, started, nonce].join('|')
}

describe('L1: the lease of a run', () => {
  test('is immediately refused to others while its holder lives', async () => {
    const { run, take } = await writeRun(journal)
    await take(createOwnerId())
    await expect(journal.acquire(run, createOwnerId())).rejects.toMatchObject({
      code: 'run-busy',
      message: expect.stringContaining(`process ${process.pid}`),
    })
    expect((await journal.findRun(run)).held).toBe(true)
  })

  test('is refused to a second owner of the same process, and to the same owner twice', async () => {
    const { run } = await writeRun(journal)
    const [one, other] = [createOwnerId(), createOwnerId()]
    expect(one).not.toBe(other)
    await journal.acquire(run, one)
    await expect(journal.acquire(run, other)).rejects.toMatchObject({ code: 'run-busy' })
    await expect(journal.acquire(run, one)).rejects.toMatchObject({ code: 'run-busy' })
  })

  test('is free again after its release', async () => {
    const { run, take } = await writeRun(journal)
    await journal.release(await take('first'))
    expect((await journal.findRun(run)).held).toBe(false)
    expect((await journal.acquire(run, 'second')).fence).toBe(2)
  })

  test('is immediately taken from an owner whose process is gone', async () => {
    const { run, take } = await writeRun(journal)
    await take(deadOwner())
    expect((await journal.findRun(run)).held).toBe(false)
    expect((await journal.acquire(run, createOwnerId())).fence).toBe(2)
  })

  test('is taken from an owner on another machine when it expires, and not before', async () => {
    const { run, take } = await writeRun(journal)
    await take('elsewhere|-|1|?|x')
    nowMs += leaseTtlMs - 1
    await expect(journal.acquire(run, 'me')).rejects.toMatchObject({ code: 'run-busy' })
    nowMs += 1
    expect((await journal.acquire(run, 'me')).fence).toBe(2)
  })

  test('lasts while it is renewed or written under', async () => {
    const { run, take, write } = await writeRun(journal)
    const lease = await take('elsewhere|-|1|?|x')
    for (let third = 0; third < 4; third++) {
      nowMs += leaseTtlMs / 2
      await journal.renew(lease)
      nowMs += leaseTtlMs / 2
      await write(note())
    }
    await expect(journal.acquire(run, 'me')).rejects.toMatchObject({ code: 'run-busy' })
  })
})

describe('L2: a holder that was replaced', () => {
  async function replaced() {
    const written = await writeRun(journal)
    const lease = await written.take('frozen|-|1|?|x')
    nowMs += leaseTtlMs
    const newer = await journal.acquire(written.run, 'newer')
    return { ...written, lease, newer }
  }

  test('cannot write when it wakes up', async () => {
    const { run, lease, unit } = await replaced()
    await expect(journal.append(lease, unit([note('late')]))).rejects.toMatchObject({
      code: 'fenced',
    })
    expect(await journal.read(run)).toHaveLength(1)
  })

  test('cannot renew, and releasing a lost lease takes nothing from the newer holder', async () => {
    const { run, lease, newer } = await replaced()
    await expect(journal.renew(lease)).rejects.toMatchObject({ code: 'fenced' })
    await journal.release(lease)
    await journal.renew(newer)
    await expect(journal.acquire(run, 'third')).rejects.toMatchObject({ code: 'run-busy' })
  })

  test('is recognized by its fence, which grows with each holder, also under the same name', async () => {
    const { run, newer } = await replaced()
    await journal.release(newer)
    const again = await journal.acquire(run, 'newer')
    expect(again.fence).toBeGreaterThan(newer.fence)
    await expect(journal.renew(newer)).rejects.toMatchObject({ code: 'fenced' })
  })
})

describe('one workspace', () => {
  test('is used by one run at a time', async () => {
    const first = await writeRun(journal, { name: 'first', workspace: '/work' })
    const second = await writeRun(journal, { workspace: '/work' })
    const elsewhere = await writeRun(journal, { workspace: '/other' })
    const nowhere = await writeRun(journal)
    const lease = await first.take()
    await expect(second.take()).rejects.toMatchObject({
      code: 'workspace-busy',
      message: expect.stringContaining('"first"'),
    })
    await elsewhere.take()
    await nowhere.take()
    await journal.release(lease)
    await second.take()
  })

  test.each([
    ['/work/inner', 'workspace-busy'],
    ['/work/', 'workspace-busy'],
    ['/', 'workspace-busy'],
    ['/work-2', 'free'],
    ['/w', 'free'],
  ])('as seen by a run in %s is %s', async (workspace, found) => {
    await (await writeRun(journal, { workspace: '/work' })).take(createOwnerId())
    const other = await writeRun(journal, { workspace })
    const taking = journal.acquire(other.run, createOwnerId()).then(
      () => 'free',
      (error: LoopError) => error.code,
    )
    expect(await taking).toBe(found)
  })

  test('does not matter to a caller that only decides about a run', async () => {
    const first = await writeRun(journal, { workspace: '/work' })
    const second = await writeRun(journal, { workspace: '/work' })
    await first.take(createOwnerId())
    await journal.release(await journal.acquireIdle(second.run, createOwnerId()))
    await expect(journal.acquireIdle(first.run, createOwnerId())).rejects.toMatchObject({
      code: 'run-busy',
    })
  })

  test('is free when the process that worked in it is gone', async () => {
    const first = await writeRun(journal, { workspace: '/work' })
    const second = await writeRun(journal, { workspace: '/work' })
    await first.take(deadOwner())
    expect((await second.take()).fence).toBe(1)
  })
})

describe('an owner', () => {
  const parts = createOwnerId().split('|')

  test('is known to live while its process does', () => {
    expect(mayBeAlive(createOwnerId())).toBe(true)
    expect(mayBeAlive(deadOwner())).toBe(false)
  })

  test('is gone if the machine was rebooted since', () => {
    const [host, place, ...others] = parts
    const before = place?.replace(/@.*$/, '@another')
    expect(mayBeAlive([host, before, ...others].join('|'))).toBe(false)
  })

  test('is not confused with a later process that has the same pid', () => {
    const [host, place, pid, _started, nonce] = parts
    expect(mayBeAlive([host, place, pid, '1', nonce].join('|'))).toBe(false)
  })

  test.each([
    ['on another machine', ['elsewhere', ...parts.slice(1)]],
    ['in another container', [parts[0], parts[1]?.replace(/^.*@/, 'pid:[1]@'), ...parts.slice(2)]],
    ['whose name says nothing', ['somebody']],
  ])('%s may live', (_name, owner) => {
    expect(mayBeAlive(owner.join('|'))).toBe(true)
  })
})
