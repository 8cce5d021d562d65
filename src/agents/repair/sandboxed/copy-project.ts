/**
 * Copies of the project to try edits in: tests write files, and edits can do anything. Installed
 * dependencies are linked, not copied.
 */

import { copyFile, lstat, mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Copies {
  /** Returns the folder of a new copy. */
  create(): Promise<string>
  remove(): Promise<void>
}

/** What tests do not need. */
const skippedFolders = new Set(['.git', 'coverage', '.nyc_output'])
const filesMax = 20_000
const bytesMax = 256 * 1024 * 1024

export async function openCopies(root: string): Promise<Copies> {
  const folder = await mkdtemp(join(tmpdir(), 'loopwright-repair-'))
  let copies = 0
  return {
    async create() {
      const copy = join(folder, `${copies++}`)
      await copyFolder(root, copy, { files: 0, bytes: 0 })
      return copy
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function copyFolder(
  from: string,
  to: string,
  total: { files: number; bytes: number },
): Promise<void> {
  await mkdir(to)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (skippedFolders.has(entry.name)) continue
    if (entry.name === 'node_modules') await symlink(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else if (entry.isDirectory()) await copyFolder(source, target, total)
    else if (entry.isFile()) {
      total.files++
      total.bytes += (await lstat(source)).size
      if (total.files > filesMax || total.bytes > bytesMax) {
        throw new Error('The project is too large to be copied.')
      }
      await copyFile(source, target)
    }
  }
}

/** Works in a copy; if none can be made, in the project itself. */
export async function inCopy<T>(root: string, work: (place: string) => Promise<T>): Promise<T> {
  const copies = await openCopies(root)
  try {
    return await work(await copies.create().catch(() => root))
  } finally {
    await copies.remove()
  }
}
