/**
 * Safe access to the folder of a run. An agent that works in the same folder may have put anything there.
 *
 * 1. No link below the root is followed, and nothing outside the folder is read or written: on Linux, names
 *    are resolved through the handles of folders that were opened one by one.
 * 2. A file is replaced atomically, or written to if it is a plain file with a single link.
 * 3. Pipes, devices and sockets do not block.
 */

import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { type Folder, hasErrorCode, openChildFolder, openRootFolder } from '../../tools/index.ts'

export interface SafeFolder {
  /** Replaces a file atomically. */
  put(path: string, content: string | Uint8Array): Promise<void>
  /** Writes from an offset and truncates the rest. False: the file cannot be continued. */
  writeFrom(path: string, offset: number, content: Uint8Array): Promise<boolean>
  /** Undefined for anything but a plain file with a single link. */
  open(path: string): Promise<{ readonly handle: FileHandle; readonly stat: Stats } | undefined>
  /** All plain files, with paths relative to the folder. */
  list(): Promise<readonly { readonly path: string; readonly stat: Stats }[]>
  close(): Promise<void>
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const isMissing = (error: unknown): boolean =>
  hasErrorCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR')

/** With `make`, missing folders are created; without, returns undefined. */
export async function openSafeFolder(
  root: string,
  parts: readonly string[],
  { make }: { readonly make: boolean },
): Promise<SafeFolder | undefined> {
  const held: Folder[] = []
  const close = async (): Promise<void> => {
    for (const { handle } of held.splice(0)) await handle.close()
  }
  try {
    let folder = await openRootFolder(root)
    held.push(folder)
    for (const part of parts) {
      folder = await openOrCreate(folder, part, make)
      held.push(folder)
    }
    return { ...createOperations(folder), close }
  } catch (error) {
    await close()
    if (!make && isMissing(error)) return undefined
    throw error
  }
}

async function openOrCreate(parent: Folder, name: string, make: boolean): Promise<Folder> {
  if (make) {
    await mkdir(parent.at(name), { mode: 0o700 }).catch((error: unknown) => {
      if (!hasErrorCode(error, 'EEXIST')) throw error
    })
  }
  return openChildFolder(parent, name)
}

function createOperations(top: Folder): Omit<SafeFolder, 'close'> {
  /** Opens the folder of the path while `work` runs. */
  async function inFolder<T>(
    path: string,
    make: boolean,
    work: (folder: Folder, name: string) => Promise<T>,
  ): Promise<T> {
    const parts = path.split('/')
    const name = parts.pop() ?? ''
    if ([...parts, name].some((part) => part === '' || part === '.' || part === '..')) {
      throw Object.assign(new Error(`not a path inside the folder: ${path}`), { code: 'ENOENT' })
    }
    const held: Folder[] = []
    try {
      let folder = top
      for (const part of parts) {
        folder = await openOrCreate(folder, part, make)
        held.push(folder)
      }
      const done = await work(folder, name)
      await folder.verify()
      return done
    } finally {
      for (const { handle } of held) await handle.close()
    }
  }

  return {
    put: (path, content) => inFolder(path, true, (folder, name) => replace(folder, name, content)),
    writeFrom: (path, offset, content) =>
      inFolder(path, true, async (folder, name) => {
        if (offset === 0) {
          await replace(folder, name, content)
          return true
        }
        return continueFile(folder, name, offset, content)
      }),
    async open(path) {
      try {
        return await inFolder(path, false, openPlain)
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
    list: () => listPlain(top, ''),
  }
}

async function replace(folder: Folder, name: string, content: string | Uint8Array): Promise<void> {
  const temporary = folder.at(`.${randomUUID()}.new`)
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(content).finally(() => handle.close())
    await rename(temporary, folder.at(name))
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

async function continueFile(
  folder: Folder,
  name: string,
  offset: number,
  content: Uint8Array,
): Promise<boolean> {
  const flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK
  const handle = await open(folder.at(name), flags).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (handle === undefined) return false
  try {
    const stat = await handle.stat()
    if (!isPlain(stat) || stat.size < offset) return false
    if (stat.size > offset) await handle.truncate(offset)
    let written = 0
    while (written < content.length) {
      const left = content.subarray(written)
      written += (await handle.write(left, 0, left.length, offset + written)).bytesWritten
    }
    return true
  } finally {
    await handle.close()
  }
}

async function openPlain(
  folder: Folder,
  name: string,
): Promise<{ readonly handle: FileHandle; readonly stat: Stats } | undefined> {
  const handle = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const stat = await handle.stat().catch(async (error: unknown) => {
    await handle.close()
    throw error
  })
  if (isPlain(stat)) return { handle, stat }
  await handle.close()
  return undefined
}

/** A file with a second hard link may belong to something else. */
const isPlain = (stat: Stats): boolean => stat.isFile() && stat.nlink === 1

const listedMax = 100_000

async function listPlain(
  folder: Folder,
  prefix: string,
): Promise<readonly { readonly path: string; readonly stat: Stats }[]> {
  const found: { readonly path: string; readonly stat: Stats }[] = []
  for (const name of (await readdir(folder.at())).toSorted()) {
    if (found.length >= listedMax) break
    const stat = await lstat(folder.at(name)).catch(() => undefined)
    if (stat === undefined || name.startsWith('.')) continue
    const path = `${prefix}${name}`
    if (isPlain(stat)) found.push({ path, stat })
    // We create only one level of folders.
    if (!stat.isDirectory() || prefix !== '') continue
    const inner = await openChildFolder(folder, name).catch(() => undefined)
    if (inner === undefined) continue
    try {
      found.push(...(await listPlain(inner, `${path}/`)))
    } finally {
      await inner.handle.close()
    }
  }
  return found
}
