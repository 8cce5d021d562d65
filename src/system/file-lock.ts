/**
 * A lock file that lets one process at a time write a small file: the process that created the lock file
 * holds the lock. A lock is stale, and is removed, when its holder has exited or has held it far longer
 * than such work takes.
 */

import { randomUUID } from 'node:crypto'
import { readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { LoopError } from '../loop/index.ts'

const staleMs = 10_000
const waitMs = 15_000
const pauseMs = 10

/** `work` must call `isHeld` before it does anything that cannot be undone. */
export async function withLock<T>(
  path: string,
  work: (isHeld: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const token = `${process.pid} ${randomUUID()}`
  const isHeld = async (): Promise<boolean> => (await readHolder(path)) === token
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
      throw new LoopError(
        'run-busy',
        `Another process holds the lock ${path}. Try again in a moment.`,
      )
    }
    await removeIfStale(path)
    await sleep(pauseMs * (1 + Math.random()))
  }
}

async function tryAcquire(path: string, token: string): Promise<boolean> {
  try {
    await writeFile(path, token, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    // The file was created but the disk is full: an empty lock would block every other process.
    if ((await readHolder(path)) === '') await unlink(path).catch(() => {})
    throw error
  }
}

/** Renames before deleting, so that only one of several waiting processes removes the lock. */
async function removeIfStale(path: string): Promise<void> {
  const holder = await readHolder(path)
  const found = await stat(path).catch(() => undefined)
  if (holder === undefined || found === undefined) return
  const pid = Number(holder.split(' ')[0])
  const isOld = Date.now() - found.mtimeMs > staleMs
  // A lock file that is just being created has no content yet.
  if (!isOld && (holder === '' || isAlive(pid))) return
  if ((await readHolder(path)) !== holder) return
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

const readHolder = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined)
