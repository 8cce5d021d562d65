/**
 * A small list of what a person has allowed, as one file of the state folder.
 *
 * 1. What cannot be read, or could have been written by somebody else, allows nothing.
 * 2. It is replaced as a whole, so a reader sees one list or the next and never a part; writers take
 *    turns, so none loses what another added.
 */

import { randomUUID } from 'node:crypto'
import { chmod, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { LoopError } from '../loop/index.ts'
import { withLock } from './file-lock.ts'
import { makeFolder } from './places.ts'

export interface GuardedListOptions<T> {
  readonly path: string
  /** The name of the list in the file. */
  readonly member: string
  readonly entry: z.ZodType<T>
  /** What it means that the list is not used: "no loop file is trusted until you trust it again". */
  readonly consequence: string
}

export interface GuardedList<T> {
  read(): Promise<FoundList<T>>
  change<R>(make: (entries: readonly T[]) => ListChange<T, R>): Promise<R>
}

export interface FoundList<T> {
  readonly entries: readonly T[]
  /** Why nothing of it is used. */
  readonly damage?: string
  /** It could not be read this time; what is in it may be right. */
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
          if (tries === triesMax) throw new Error('other processes keep changing it')
        }
      } catch (cause) {
        if (cause instanceof LoopError) throw cause
        const why = cause instanceof Error ? cause.message : String(cause)
        throw new LoopError(
          'store-failed',
          `Could not write ${path}: ${why}. Check the disk and the permissions of that folder.`,
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

async function readList<T>(options: GuardedListOptions<T>): Promise<FoundList<T>> {
  const { path, member, entry, consequence } = options
  const damaged = (why: string): FoundList<T> => ({
    entries: [],
    damage: `${path} is not used, because ${why}: ${consequence}`,
  })
  try {
    const found = await stat(path)
    if (!found.isFile()) return damaged('it is not a file')
    const mine = process.getuid?.() ?? found.uid
    if ((found.mode & 0o022) !== 0 || found.uid !== mine) return damaged('others can write to it')
    if (found.size > bytesMax) return damaged(`it is over ${bytesMax} bytes`)
    const file = z.object({
      version: z.literal(formatVersion),
      [member]: z.array(entry).max(guardedEntriesMax),
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

/** False if another process has the lock by now; then nothing was changed. */
async function replace(path: string, text: string, isHeld: IsHeld): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`
  const handle = await open(temporary, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
    await handle.close()
    // A mask of the user may have taken rights away, never added any.
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
