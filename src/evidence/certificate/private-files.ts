/**
 * Files that no other user may read or replace, and that are created at most once.
 *
 * 1. A file has its whole content or does not exist: content is synced, then linked to its name, then the folder
 *    is synced. A crash leaves at most a file with the prefix `.new-`, which is never read.
 * 2. If several processes create the same file at once, one succeeds, and the others learn that they did not.
 */

import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { link, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LoopError } from '../../loop/index.ts'

const newPrefix = '.new-'
/** Left behind by a crash: no write takes that long. */
const abandonedMs = 3_600_000

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** Creates missing parents as well, private to the user. */
export async function createPrivateFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first !== undefined) await syncFolder(dirname(first))
  await requirePrivate(folder, await lstat(folder), 'folder')
}

/** False: it does not exist. */
export async function hasPrivateFolder(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  })
  if (found === undefined) return false
  await requirePrivate(folder, found, 'folder')
  return true
}

/** False: the file exists already; its content stays. */
export async function createFile(path: string, content: Uint8Array | string): Promise<boolean> {
  const temporary = await writeTemporary(path, content)
  try {
    await link(temporary, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await unlink(temporary).catch(() => undefined)
    await syncFolder(dirname(path))
  }
}

/** Replaces the existing file. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = await writeTemporary(path, content)
  await rename(temporary, path)
  await syncFolder(dirname(path))
}

/** Undefined: it does not exist. Refuses links, other owners, and files that others may read. */
export async function readPrivateFile(path: string, bytesMax: number): Promise<string | undefined> {
  const content = await readRegularFile(path, bytesMax, async (found) => {
    await requirePrivate(path, found, 'file')
    if (found.nlink > 1 && !(await isPartiallyCreated(path, found))) {
      const advice = 'Remove the other links, or create a new key: loopctl keys rotate'
      throw new LoopError('not-configured', `${path} has another hard link. ${advice}`)
    }
  })
  return content?.toString('utf8')
}

/** Undefined: it does not exist. Never follows a link, and never blocks. */
export async function readRegularFile(
  path: string,
  bytesMax: number,
  check: (found: Stats) => Promise<void> | void = () => undefined,
): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    if (hasCode(error, 'ELOOP')) throw unusable(path, 'is a link', 'Put the file itself there.')
    throw error
  })
  if (file === undefined) return undefined
  try {
    const found = await file.stat()
    if (!found.isFile()) throw unusable(path, 'is not a file', 'Move it away.')
    await check(found)
    if (found.size > bytesMax) throw unusable(path, 'is too long', 'Restore it from a backup.')
    const buffer = Buffer.alloc(found.size + 1)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Removes what crashes left in a folder. */
export async function removeAbandoned(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder).catch((): string[] => [])) {
    if (!name.startsWith(newPrefix)) continue
    const found = await lstat(join(folder, name)).catch(() => undefined)
    if (found !== undefined && now - found.mtimeMs > abandonedMs) {
      await unlink(join(folder, name)).catch(() => undefined)
    }
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function writeTemporary(path: string, content: Uint8Array | string): Promise<string> {
  const temporary = join(dirname(path), `${newPrefix}${randomUUID()}`)
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
    return temporary
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  } finally {
    await file.close()
  }
}

/** The process that created it was killed before it removed the temporary name, or is about to. */
async function isPartiallyCreated(path: string, found: Stats): Promise<boolean> {
  const folder = dirname(path)
  let links = found.nlink
  for (const name of await readdir(folder)) {
    if (!name.startsWith(newPrefix)) continue
    const other = await lstat(join(folder, name)).catch(() => undefined)
    if (other?.ino !== found.ino || other.dev !== found.dev) continue
    await unlink(join(folder, name)).catch(() => undefined)
    links -= 1
  }
  // The process that created it may have removed it in the meantime.
  return links === 1 || (await lstat(path)).nlink === 1
}

async function requirePrivate(path: string, found: Stats, kind: 'file' | 'folder'): Promise<void> {
  if (kind === 'folder' && !found.isDirectory()) {
    throw unusable(path, 'is a link, or not a folder', 'Move it away.')
  }
  const user = process.getuid?.()
  if (user !== undefined && found.uid !== user) {
    throw unusable(path, 'belongs to another user', 'Use --state with a folder that you own.')
  }
  if ((found.mode & 0o077) === 0) return
  const advice = `If no one has used that: chmod ${kind === 'file' ? '600' : '700'} ${path}. Otherwise create a new key: loopctl keys rotate`
  throw unusable(path, 'can be read or changed by others', advice)
}

const unusable = (path: string, what: string, advice: string): LoopError =>
  new LoopError('not-configured', `${path} ${what}. ${advice}`)
