/**
 * One writer at a time for a small file, among processes: whoever made the lock file has it. One whose
 * holder is gone, or has held it far longer than such work takes, is put aside.
 */

import { randomUUID } from 'node:crypto'
import { readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { LoopError } from '../loop/index.ts'

const staleMs = 10_000
const waitMs = 15_000
const pauseMs = 10

/** The work must ask `isHeld` before what cannot be undone. */
export async function withLock<T>(
  path: string,
  work: (isHeld: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const token = `${process.pid} ${randomUUID()}`
  const isHeld = async (): Promise<boolean> => (await holderOf(path)) === token
  await acquire(path, token)
  try {
    return await work(isHeld)
  } finally {
    if (await isHeld()) await unlink(path).catch(() => {})
  }
}

async function acquire(path: string, token: string): Promise<void> {
  const deadline = performance.now() + waitMs
  while (!(await tryAcquire(path, token))) {
    if (performance.now() > deadline) {
      throw new LoopError('run-busy', `Another program holds ${path}. Try again in a moment.`)
    }
    await putAsideIfStale(path)
    await sleep(pauseMs * (1 + Math.random()))
  }
}

async function tryAcquire(path: string, token: string): Promise<boolean> {
  try {
    await writeFile(path, token, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    // Made, but the disk is full: an empty lock would keep everybody waiting.
    if ((await holderOf(path)) === '') await unlink(path).catch(() => {})
    throw error
  }
}

/** Renaming gives it to one of those who see it; the others find it gone. */
async function putAsideIfStale(path: string): Promise<void> {
  const holder = await holderOf(path)
  const found = await stat(path).catch(() => undefined)
  if (holder === undefined || found === undefined) return
  const pid = Number(holder.split(' ')[0])
  const isOld = Date.now() - found.mtimeMs > staleMs
  // A lock that is being made has no holder in it yet.
  if (!isOld && (holder === '' || isAlive(pid))) return
  if ((await holderOf(path)) !== holder) return
  const aside = `${path}.${randomUUID()}`
  await rename(path, aside).catch(() => {})
  await unlink(aside).catch(() => {})
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const holderOf = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined)
