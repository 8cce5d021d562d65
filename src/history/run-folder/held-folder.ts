/**
 * The folder of a run, held open. An agent that works in the same folder may put anything in its way.
 *
 * 1. No link is followed below the root, and nothing outside of the folder is read or written: on Linux
 *    names are looked up through the handles of folders that were opened one by one.
 * 2. A file is replaced at once, or written to where it is a plain file with one name.
 * 3. Pipes, devices and sockets are not waited for.
 */

import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { type Folder, hasCode, openChild, openRoot } from '../../tools/index.ts'

export interface HeldFolder {
  /** The whole of a file, which has its old content or its new one. */
  put(path: string, content: string | Uint8Array): Promise<void>
  /** From a place on; what was behind it goes. False: the file is not one that can be gone on with. */
  writeFrom(path: string, offset: number, content: Uint8Array): Promise<boolean>
  /** Undefined for all that is not a plain file of one name. */
  open(path: string): Promise<{ readonly handle: FileHandle; readonly stat: Stats } | undefined>
  /** All plain files, as paths from here. */
  list(): Promise<readonly { readonly path: string; readonly stat: Stats }[]>
  close(): Promise<void>
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const isGone = (error: unknown): boolean =>
  hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR')

/** With `make`, what is not there of the parts is made; without, undefined. */
export async function holdFolder(
  root: string,
  parts: readonly string[],
  { make }: { readonly make: boolean },
): Promise<HeldFolder | undefined> {
  const held: Folder[] = []
  const close = async (): Promise<void> => {
    for (const { handle } of held.splice(0)) await handle.close()
  }
  try {
    let folder = await openRoot(root)
    held.push(folder)
    for (const part of parts) {
      folder = await enter(folder, part, make)
      held.push(folder)
    }
    return { ...filesOf(folder), close }
  } catch (error) {
    await close()
    if (!make && isGone(error)) return undefined
    throw error
  }
}

async function enter(parent: Folder, name: string, make: boolean): Promise<Folder> {
  if (make) {
    await mkdir(parent.at(name), { mode: 0o700 }).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  }
  return openChild(parent, name)
}

function filesOf(top: Folder): Omit<HeldFolder, 'close'> {
  /** In the folder that the path names, for as long as it takes. */
  async function inFolder<T>(
    path: string,
    make: boolean,
    work: (folder: Folder, name: string) => Promise<T>,
  ): Promise<T> {
    const parts = path.split('/')
    const name = parts.pop() ?? ''
    if ([...parts, name].some((part) => part === '' || part === '.' || part === '..')) {
      throw Object.assign(new Error(`No path in a folder: ${path}`), { code: 'ENOENT' })
    }
    const held: Folder[] = []
    try {
      let folder = top
      for (const part of parts) {
        folder = await enter(folder, part, make)
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
        return goOn(folder, name, offset, content)
      }),
    async open(path) {
      try {
        return await inFolder(path, false, openPlain)
      } catch (error) {
        if (isGone(error)) return undefined
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

async function goOn(
  folder: Folder,
  name: string,
  offset: number,
  content: Uint8Array,
): Promise<boolean> {
  const flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK
  const handle = await open(folder.at(name), flags).catch((error: unknown) => {
    if (isGone(error)) return undefined
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

/** A file with a second name may be anybody's. */
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
    // One level is all that is made here.
    if (!stat.isDirectory() || prefix !== '') continue
    const inner = await openChild(folder, name).catch(() => undefined)
    if (inner === undefined) continue
    try {
      found.push(...(await listPlain(inner, `${path}/`)))
    } finally {
      await inner.handle.close()
    }
  }
  return found
}
