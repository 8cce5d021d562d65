/**
 * A small list of what a user has allowed, stored as one file in the state folder.
 *
 * 1. A file that cannot be read, or that another user could have written, allows nothing.
 * 2. Writes replace the whole file atomically, so a reader never sees a partial list. Writers hold a lock,
 *    so no writer loses what another added.
 */

import { randomUUID } from 'node:crypto'
import { chmod, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { z } from 'zod'
import { LoopError } from '../loop/index.ts'
import { withLock } from './file-lock.ts'
import { makeFolder } from './workspace-folder.ts'

export interface GuardedListOptions<T> {
  readonly path: string
  /** The key of the list in the JSON file. */
  readonly member: string
  readonly entry: z.ZodType<T>
  /** What follows when the list is ignored: "no loop file is trusted until you trust it again". */
  readonly consequence: string
}

export interface GuardedList<T> {
  read(): Promise<ListContent<T>>
  change<R>(make: (entries: readonly T[]) => ListChange<T, R>): Promise<R>
}

export interface ListContent<T> {
  readonly entries: readonly T[]
  /** Why the file is ignored. */
  readonly damage?: string
  /** The file could not be read this time; its content may be valid. */
  readonly cause?: Error
}

export interface ListChange<T, R> {
  /** Absent: nothing changes. */
  readonly next?: readonly T[]
  readonly result: R
}

export const guardedEntriesMax = 5000
const bytesMax = 8 * 1024 * 1024
const formatVersion = 1
const triesMax = 5

export function openGuardedList<T>(options: GuardedListOptions<T>): GuardedList<T> {
  const { path } = options
  return {
    read: () => readList(options),
    async change(make) {
      try {
        makeFolder(dirname(path))
        for (let tries = 1; ; tries++) {
          const done = await withLock(`${path}.lock`, (isHeld) => changeOnce(options, make, isHeld))
          if (done !== 'lock-lost') return done.result
          if (tries === triesMax) throw new Error('other processes keep writing it')
        }
      } catch (cause) {
        if (cause instanceof LoopError) throw cause
        const reason = cause instanceof Error ? cause.message : String(cause)
        throw new LoopError(
          'store-failed',
          `Could not write ${path}: ${reason}. Check the disk and the permissions of that folder.`,
          { cause },
        )
      }
    },
  }
}

type IsHeld = () => Promise<boolean>

async function changeOnce<T, R>(
  options: GuardedListOptions<T>,
  make: (entries: readonly T[]) => ListChange<T, R>,
  isHeld: IsHeld,
): Promise<{ readonly result: R } | 'lock-lost'> {
  const { path, member } = options
  const { entries, damage, cause } = await readList(options)
  if (cause !== undefined) throw cause
  const { next, result } = make(entries)
  if (next === undefined) return { result }
  // The damaged file is kept beside the new list.
  if (damage !== undefined) await rename(path, `${path}.damaged-${Date.now()}`)
  const text = `${JSON.stringify({ version: formatVersion, [member]: next }, null, 2)}\n`
  return (await replace(path, text, isHeld)) ? { result } : 'lock-lost'
}

async function readList<T>(options: GuardedListOptions<T>): Promise<ListContent<T>> {
  const { path, member, entry, consequence } = options
  const damaged = (reason: string): ListContent<T> => ({
    entries: [],
    damage: `${path} is ignored because ${reason}: ${consequence}`,
  })
  try {
    const found = await stat(path)
    if (!found.isFile()) return damaged('it is not a file')
    const mine = process.getuid?.() ?? found.uid
    if ((found.mode & 0o022) !== 0 || found.uid !== mine)
      return damaged('other users can write to it')
    if (found.size > bytesMax) return damaged(`it is larger than ${bytesMax} bytes`)
    const {
      z: { array, literal, object },
    } = await import('zod')
    const file = object({
      version: literal(formatVersion),
      [member]: array(entry).max(guardedEntriesMax),
    })
    const parsed = file.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (!parsed.success) return damaged('it is damaged')
    return { entries: parsed.data[member] as readonly T[] }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) return damaged('it is damaged')
    if (error.code === 'ENOENT') return { entries: [] }
    return { ...damaged(`it cannot be read (${String(error.code)})`), cause: error }
  }
}

/** False if another process holds the lock by now; nothing was changed then. */
async function replace(path: string, text: string, isHeld: IsHeld): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`
  const handle = await open(temporary, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
    await handle.close()
    // The umask may have removed permissions from the mode passed to open.
    await chmod(temporary, 0o600)
    if (await isHeld()) {
      await rename(temporary, path)
      return true
    }
  } catch (error) {
    await handle.close().catch(() => {})
    await unlink(temporary).catch(() => {})
    throw error
  }
  await unlink(temporary)
  return false
}
