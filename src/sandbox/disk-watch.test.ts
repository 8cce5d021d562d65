import { existsSync, statfsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type DiskLimits, type DiskWatch, watchDisk } from './disk-watch.ts'

const mebibyte = 1024 ** 2

/** In memory where there is some: on the disk of all, what others free would hide what is written. */
const disk = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(disk, 'loopwright-disk-')))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Once it has looked for the first time. */
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

test('more bytes than may be are noticed', async () => {
  const { exceeded } = await watch({ bytesMax: 10 * mebibyte })
  await grow(30 * mebibyte)
  expect(await exceeded).toBe('disk')
})

test('what others write on the same disk is not held against it', async () => {
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
  'more new files than may be are noticed, though they take no room',
  async () => {
    const { exceeded } = await watch({ bytesMax: 1e12, filesMax: 500 })
    await mkdir(join(folder, 'many'))
    for (let index = 0; index < 1000; index++) await writeFile(join(folder, 'many', `${index}`), '')
    expect(await exceeded).toBe('disk')
  },
)

test('files that are removed but still in use are counted by who knows them', async () => {
  const { exceeded } = await watch({
    bytesMax: 10 * mebibyte,
    removedBytes: async () => 30 * mebibyte,
  })
  const other = await mkdtemp(join(disk, 'loopwright-disk-other-'))
  onTestFinished(() => rm(other, { recursive: true, force: true }))
  await writeFile(join(other, 'big'), Buffer.alloc(30 * mebibyte, 1))
  expect(await exceeded).toBe('disk')
})

test('a clock that is set back changes nothing', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7_200_000 })
  onTestFinished(() => void vi.useRealTimers())
  const { exceeded } = await watch({ bytesMax: 10 * mebibyte })
  vi.useRealTimers()
  await grow(30 * mebibyte)
  expect(await exceeded).toBe('disk')
})

test('nobody is told after it was closed', async () => {
  const { exceeded, close } = await watch({ bytesMax: 10 * mebibyte })
  close()
  await grow(30 * mebibyte)
  expect(await isSettled(exceeded)).toBe(false)
})

test('files count with their length after the end, also where nothing was written', async () => {
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

test('files that were there before and are not changed do not count after the end', async () => {
  await grow(30 * mebibyte)
  await new Promise((done) => setTimeout(done, 100))
  const watching = await watch({ bytesMax: 10 * mebibyte })
  await grow(1, 'small')
  expect(await watching.isTooMuch()).toBe(false)
})
