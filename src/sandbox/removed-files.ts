/**
 * Measures deleted files that are still open, or mapped into memory, in a pid namespace. Opens none of them:
 * `/proc` has their sizes. More open files than the limit count as infinitely large.
 */

import { readdir, readFile, readlink, stat } from 'node:fs/promises'

const openFilesMax = 50_000

/** Only files that were in the folder. `first` is a process of the namespace. */
export async function removedBytes(folder: string, first: number): Promise<number> {
  const namespace = await readNamespace(`${first}`)
  if (namespace === undefined) return 0
  const sizes = new Map<string, number>()
  let openFiles = 0
  for (const pid of await listNames('/proc')) {
    if (!/^\d+$/.test(pid) || (await readNamespace(pid)) !== namespace) continue
    const open = await listNames(`/proc/${pid}/fd`)
    openFiles += open.length
    if (openFiles > openFilesMax) return Number.POSITIVE_INFINITY
    for (const descriptor of open) await addOpen(`/proc/${pid}/fd/${descriptor}`, folder, sizes)
    await addMapped(`/proc/${pid}/maps`, folder, sizes)
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

const readNamespace = (pid: string): Promise<string | undefined> =>
  readlink(`/proc/${pid}/ns/pid`).catch(() => undefined)

const listNames = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => [])

async function addOpen(path: string, folder: string, sizes: Map<string, number>): Promise<void> {
  try {
    if (!(await readlink(path)).startsWith(`${folder}/`)) return
    const { blocks, ino, nlink } = await stat(path)
    if (nlink === 0) sizes.set(`${ino}`, blocks * 512)
  } catch {
    // It was closed meanwhile.
  }
}

/** Lines like `7f00-7f80 rw-s 00000000 fe:00 4711  /folder/name (deleted)`. */
async function addMapped(file: string, folder: string, sizes: Map<string, number>): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '')
  for (const line of text.split('\n')) {
    if (!line.endsWith(' (deleted)') || !line.includes(` ${folder}/`)) continue
    const [range = '', , , , inode = ''] = line.split(/\s+/)
    const [from = 0, to = 0] = range.split('-').map((part) => Number.parseInt(part, 16))
    if (!sizes.has(inode)) sizes.set(inode, to - from)
  }
}
