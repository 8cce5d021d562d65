import { existsSync, statfsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type DiskLimits, type DiskWatch, watchDisk } from './disk-watch.ts'

const mebibyte = 1024 ** 2

/** In memory if possible: on a shared disk, space that other processes free would hide the writes. */
const disk = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(disk, 'loopwright-disk-')))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Resolves after the first poll. */
async function watch(limits: DiskLimits): Promise<DiskWatch> {
  const watching = watchDisk(folder, limits)
  onTestFinished(() => watching.close())
  await new Promise((done) => setTimeout(done, 20))
  return watching
}

const grow = (bytes: number, name = 'big'): Promise<void> =>
  writeFile(join(folder, name), Buffer.alloc(bytes, 1))

const isSettled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), new Promise<false>((no) => setTimeout(no, 600, false))])

test('reports more bytes than the limit', async () => {
  const { exceeded } = await watch({ bytesMax: 10 * mebibyte })
  await grow(30 * mebibyte)
  expect(await exceeded).toBe('disk')
})

test('ignores writes of other processes on the same disk', async () => {
  const other = await mkdtemp(join(disk, 'loopwright-disk-other-'))
  onTestFinished(() => rm(other, { recursive: true, force: true }))
  await symlink(other, join(folder, 'link'))
  const { exceeded } = await watch({ bytesMax: 10 * mebibyte })
  await writeFile(join(other, 'big'), Buffer.alloc(30 * mebibyte, 1))
  expect(await isSettled(exceeded)).toBe(false)
  await grow(12 * mebibyte)
  expect(await exceeded).toBe('disk')
})

test.skipIf(statfsSync(disk).ffree === 0)(
  'reports more new files than the limit, even if they are empty',
  async () => {
    const { exceeded } = await watch({ bytesMax: 1e12, filesMax: 500 })
    await mkdir(join(folder, 'many'))
    for (let index = 0; index < 1000; index++) await writeFile(join(folder, 'many', `${index}`), '')
    expect(await exceeded).toBe('disk')
  },
)

test('counts deleted files that are still open', async () => {
  const { exceeded } = await watch({
    bytesMax: 10 * mebibyte,
    removedBytes: async () => 30 * mebibyte,
  })
  const other = await mkdtemp(join(disk, 'loopwright-disk-other-'))
  onTestFinished(() => rm(other, { recursive: true, force: true }))
  await writeFile(join(other, 'big'), Buffer.alloc(30 * mebibyte, 1))
  expect(await exceeded).toBe('disk')
})

test('is not affected by a clock that is set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7_200_000 })
  onTestFinished(() => void vi.useRealTimers())
  const { exceeded } = await watch({ bytesMax: 10 * mebibyte })
  vi.useRealTimers()
  await grow(30 * mebibyte)
  expect(await exceeded).toBe('disk')
})

test('reports nothing after it was closed', async () => {
  const { exceeded, close } = await watch({ bytesMax: 10 * mebibyte })
  close()
  await grow(30 * mebibyte)
  expect(await isSettled(exceeded)).toBe(false)
})

test('counts sparse files with their full length after the end', async () => {
  const watching = await watch({ bytesMax: 10 * mebibyte })
  await grow(1, 'small')
  expect(await watching.isTooMuch()).toBe(false)
  await mkdir(join(folder, 'deep'))
  for (const name of ['a', 'deep/b', 'deep/c']) {
    await grow(1, name)
    await truncate(join(folder, name), 4 * mebibyte)
  }
  watching.close()
  expect(await watching.isTooMuch()).toBe(true)
})

test('does not count unchanged files that existed before', async () => {
  await grow(30 * mebibyte)
  await new Promise((done) => setTimeout(done, 100))
  const watching = await watch({ bytesMax: 10 * mebibyte })
  await grow(1, 'small')
  expect(await watching.isTooMuch()).toBe(false)
})
