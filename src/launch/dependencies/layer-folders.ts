/**
 * What an install left in the folder of a layer. Code of packages may have run there: whatever it left is
 * looked at without following a link, so that nothing outside of the layer is read, changed or shown.
 */

import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { managerFolder } from './bring-manager.ts'
import type { LayerPlan } from './plan-layer.ts'
import { refused, storeFolder } from './run-manager.ts'

/** Folders that programs of packages write to, though they are in the layer. */
export const writtenFolders: readonly string[] = [
  '.cache',
  '.tmp',
  '.vite',
  '.vite-temp',
  '.vitest',
]

/** Packages of a workspace may have folders of their own. */
export function madeFolders(
  { lockfile, folder, files }: LayerPlan,
  path: string,
): readonly string[] {
  const installs = lockfile.installs.length === 0 ? [storeFolder] : lockfile.installs
  const beside = [folder, ...[...files.keys()].map((file) => posix.dirname(file))]
  const wanted = [...new Set(beside)].flatMap((one) =>
    installs.map((name) => posix.join(one, name)),
  )
  return [...new Set([...wanted, managerFolder])].filter((one) => isFolderIn(path, one))
}

/** Each part of the way is a folder: an install may have put a link to anywhere in place of one. */
function isFolderIn(root: string, path: string): boolean {
  const parts = path.split('/')
  return parts.every((_, index) => {
    const whole = join(root, ...parts.slice(0, index + 1))
    return lstatSync(whole, { throwIfNoEntry: false })?.isDirectory() === true
  })
}

/**
 * Only its owner can write to it, on disk and in an overlay. Where programs write to a read-only layer, an
 * empty folder is put to mount memory on.
 */
export async function prepareFolder(folder: string): Promise<void> {
  if (folder.endsWith('/node_modules')) {
    for (const name of writtenFolders) await putFolder(join(folder, name))
  }
  const queue = [folder]
  for (const [index, path] of queue.entries()) {
    if (index % 256 === 0) await setImmediate()
    const seen = look(path)
    if (seen.isSymbolicLink()) continue
    chmodSync(path, (seen.mode & 0o755) | (seen.isDirectory() ? 0o700 : 0o600))
    if (seen.isDirectory()) queue.push(...readdirSync(path).map((name) => join(path, name)))
  }
}

async function putFolder(path: string): Promise<void> {
  const seen = lstatSync(path, { throwIfNoEntry: false })
  if (seen !== undefined && !seen.isDirectory()) await rm(path)
  await mkdir(path, { recursive: true })
}

/** A name that is not text, or a path too long to be given, cannot be looked at. */
function look(path: string): Stats {
  try {
    return lstatSync(path)
  } catch (error) {
    const short = JSON.stringify(path.slice(0, 200))
    throw refused(
      `The installed dependencies contain a path that cannot be read, ${short}. Remove the package it belongs to`,
      error,
    )
  }
}

export function summaryOf({ lockfile, folder, isPnp }: LayerPlan, path: string): string {
  if (isPnp === true) return `${lockfile.manager} PnP`
  const modules = posix.join(folder, 'node_modules')
  if (!isFolderIn(path, modules)) return lockfile.manager
  const count = readdirSync(join(path, modules)).reduce((sum, name) => {
    if (name.startsWith('.')) return sum
    const isScope = name.startsWith('@') && isFolderIn(path, posix.join(modules, name))
    return sum + (isScope ? readdirSync(join(path, modules, name)).length : 1)
  }, 0)
  return `${lockfile.manager}, ${count} ${count === 1 ? 'package' : 'packages'}`
}
