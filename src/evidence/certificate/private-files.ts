/**
 * Files that nobody else may read or replace, and names that are given once.
 *
 * 1. A name holds its whole content or is not there: content is synced, then linked to its name, then the
 *    folder is synced. A kill leaves at most a file that begins with `.new-`, which nobody reads.
 * 2. Of several that want one name at once, one gets it, and the others are told.
 */

import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { link, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LoopError } from '../../loop/index.ts'

const newPrefix = '.new-'
/** A kill may have left it; nobody writes for so long. */
const abandonedMs = 3_600_000

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** With what is missing above it, for us alone. */
export async function makePrivateFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first !== undefined) await syncFolder(dirname(first))
  await requirePrivate(folder, await lstat(folder), 'folder')
}

/** False: there is none. */
export async function hasPrivateFolder(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  })
  if (found === undefined) return false
  await requirePrivate(folder, found, 'folder')
  return true
}

/** False: somebody else has that name, whose content stays. */
export async function placeFile(path: string, content: Uint8Array | string): Promise<boolean> {
  const made = await writeNew(path, content)
  try {
    await link(made, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await unlink(made).catch(() => undefined)
    await syncFolder(dirname(path))
  }
}

/** In the place of what was there. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const made = await writeNew(path, content)
  await rename(made, path)
  await syncFolder(dirname(path))
}

/** Undefined: there is none. Refuses links, other owners, and what others may read. */
export async function readPrivateFile(path: string, bytesMax: number): Promise<string | undefined> {
  const content = await readFileOnly(path, bytesMax, async (found) => {
    await requirePrivate(path, found, 'file')
    if (found.nlink > 1 && !(await isHalfPlaced(path, found))) {
      const advice = 'Remove the other names, or take a new key: loopctl keys rotate.'
      throw new LoopError('not-configured', `${path} has another name elsewhere. ${advice}`)
    }
  })
  return content?.toString('utf8')
}

/** Undefined: there is none. Never through a link, and never waiting. */
export async function readFileOnly(
  path: string,
  bytesMax: number,
  check: (found: Stats) => Promise<void> | void = () => undefined,
): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    if (hasCode(error, 'ELOOP')) throw notOurs(path, 'is a link', 'Put the file itself there.')
    throw error
  })
  if (file === undefined) return undefined
  try {
    const found = await file.stat()
    if (!found.isFile()) throw notOurs(path, 'is not a file', 'Move it away.')
    await check(found)
    if (found.size > bytesMax) throw notOurs(path, 'is too long', 'Restore it from a backup.')
    const buffer = Buffer.alloc(found.size + 1)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** What kills left in a folder. */
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

async function writeNew(path: string, content: Uint8Array | string): Promise<string> {
  const made = join(dirname(path), `${newPrefix}${randomUUID()}`)
  const file = await open(made, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
    return made
  } catch (error) {
    await unlink(made).catch(() => undefined)
    throw error
  } finally {
    await file.close()
  }
}

/** Whoever placed it was killed before it took the first name away, or is about to. */
async function isHalfPlaced(path: string, found: Stats): Promise<boolean> {
  const folder = dirname(path)
  let names = found.nlink
  for (const name of await readdir(folder)) {
    if (!name.startsWith(newPrefix)) continue
    const other = await lstat(join(folder, name)).catch(() => undefined)
    if (other?.ino !== found.ino || other.dev !== found.dev) continue
    await unlink(join(folder, name)).catch(() => undefined)
    names -= 1
  }
  // The one who placed it may have been faster.
  return names === 1 || (await lstat(path)).nlink === 1
}

async function requirePrivate(path: string, found: Stats, kind: 'file' | 'folder'): Promise<void> {
  if (kind === 'folder' && !found.isDirectory()) {
    throw notOurs(path, 'is a link or no folder', 'Move it away.')
  }
  const user = process.getuid?.()
  if (user !== undefined && found.uid !== user) {
    throw notOurs(path, 'belongs to somebody else', 'Use --state with a folder of your own.')
  }
  if ((found.mode & 0o077) === 0) return
  const advice = `If nobody used that: chmod ${kind === 'file' ? '600' : '700'} ${path}. Else take a new key: loopctl keys rotate.`
  throw notOurs(path, 'can be read or changed by others', advice)
}

const notOurs = (path: string, what: string, advice: string): LoopError =>
  new LoopError('not-configured', `${path} ${what}. ${advice}`)
