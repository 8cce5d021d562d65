/**
 * Which loop files this person has looked at and allowed to run, by the digest of their content. The
 * list is one small file in the state folder.
 *
 * 1. What cannot be read, or could have been written by somebody else, trusts nothing.
 * 2. It is replaced as a whole, so a reader sees one list or the next and never a part; writers take
 *    turns, so none loses what another added.
 */

import { randomUUID } from 'node:crypto'
import { chmod, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { LoopError } from '../../loop/index.ts'
import { makeFolder } from '../places.ts'
import { withLock } from './file-lock.ts'

export interface TrustEntry {
  readonly digest: string
  /** The whole path of the loop file. */
  readonly file: string
}

export interface TrustedEntry extends TrustEntry {
  readonly atMs: number
}

/** Both count: the same text elsewhere runs what lies there. */
export interface Trust {
  isTrusted(entry: TrustEntry): Promise<boolean>
  trust(entry: TrustEntry): Promise<void>
  /** Newest first. */
  list(): Promise<readonly TrustedEntry[]>
  /** False when it was not trusted. */
  forget(entry: TrustEntry): Promise<boolean>
  /** Why nothing is trusted at all, if the list cannot be used; with what to do. */
  damage(): Promise<string | undefined>
}

const fileName = 'trust.json'
const bytesMax = 8 * 1024 * 1024
const entriesMax = 5000
const formatVersion = 1
const triesMax = 5

const digestPattern = /^[0-9a-f]{64}$/

const trustFileSchema = z.object({
  version: z.literal(formatVersion),
  trusted: z
    .array(
      z.object({ digest: z.string().regex(digestPattern), file: z.string(), atMs: z.number() }),
    )
    .max(entriesMax),
})

interface Found {
  readonly entries: readonly TrustedEntry[]
  readonly damage?: string
  /** It could not be read this time; what is in it may be right. */
  readonly cause?: Error
}

export function openTrust(folder: string): Trust {
  const path = join(folder, fileName)

  async function change<T>(make: (entries: readonly TrustedEntry[]) => Change<T>): Promise<T> {
    try {
      makeFolder(folder)
      for (let tries = 1; ; tries++) {
        const done = await withLock(`${path}.lock`, (isHeld) => changeOnce(path, make, isHeld))
        if (done !== 'lock-lost') return done.result
        if (tries === triesMax) throw new Error('other programs write to it all the time')
      }
    } catch (cause) {
      if (cause instanceof LoopError) throw cause
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new LoopError(
        'store-failed',
        `Could not write ${path}: ${why}. Check the disk and the rights on that folder.`,
        { cause },
      )
    }
  }

  return {
    async isTrusted(wanted) {
      const { entries } = await readTrust(path)
      return entries.some((entry) => isSame(entry, wanted))
    },
    async trust({ digest, file }) {
      if (!digestPattern.test(digest)) {
        throw new LoopError('bad-request', 'Trust is given to a digest: read the loop file first.')
      }
      await change((entries) => {
        const others = entries.filter((entry) => !isSame(entry, { digest, file }))
        const next = [{ digest, file, atMs: Date.now() }, ...others].slice(0, entriesMax)
        return { next, result: undefined }
      })
    },
    async list() {
      return (await readTrust(path)).entries
    },
    forget: (wanted) =>
      change((entries) => {
        const next = entries.filter((entry) => !isSame(entry, wanted))
        return next.length === entries.length ? { result: false } : { next, result: true }
      }),
    async damage() {
      return (await readTrust(path)).damage
    },
  }
}

const isSame = (a: TrustEntry, b: TrustEntry): boolean => a.digest === b.digest && a.file === b.file

interface Change<T> {
  /** Absent: nothing changes. */
  readonly next?: readonly TrustedEntry[]
  readonly result: T
}

type IsHeld = () => Promise<boolean>

async function changeOnce<T>(
  path: string,
  make: (entries: readonly TrustedEntry[]) => Change<T>,
  isHeld: IsHeld,
): Promise<{ readonly result: T } | 'lock-lost'> {
  const { entries, damage, cause } = await readTrust(path)
  if (cause !== undefined) throw cause
  const { next, result } = make(entries)
  if (next === undefined) return { result }
  // What was damaged stays beside the new list, for whoever wants to know.
  if (damage !== undefined) await rename(path, `${path}.damaged-${Date.now()}`)
  return (await replace(path, next, isHeld)) ? { result } : 'lock-lost'
}

async function readTrust(path: string): Promise<Found> {
  try {
    const found = await stat(path)
    if (!found.isFile()) return damaged(path, 'it is not a file')
    const mine = process.getuid?.() ?? found.uid
    if ((found.mode & 0o022) !== 0 || found.uid !== mine) {
      return damaged(path, 'others can write to it')
    }
    if (found.size > bytesMax) return damaged(path, `it is over ${bytesMax} bytes`)
    const parsed = trustFileSchema.safeParse(JSON.parse(await readFile(path, 'utf8')))
    return parsed.success ? { entries: parsed.data.trusted } : damaged(path, 'it is damaged')
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) return damaged(path, 'it is damaged')
    if (error.code === 'ENOENT') return { entries: [] }
    return { ...damaged(path, `it cannot be read (${String(error.code)})`), cause: error }
  }
}

const damaged = (path: string, why: string): Found => ({
  entries: [],
  damage: `${path} is not used, because ${why}: no loop file is trusted until you trust it again`,
})

/** False when somebody else has the lock by now; then nothing was changed. */
async function replace(
  path: string,
  trusted: readonly TrustedEntry[],
  isHeld: IsHeld,
): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`
  const handle = await open(temporary, 'wx', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify({ version: formatVersion, trusted }, null, 2)}\n`)
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
