/**
 * The folders that an install created in a layer. Code of packages may have run there, so they are
 * examined without following links: nothing outside the layer is read, changed or mounted.
 */

import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { managerFolder } from './manager-package.ts'
import type { LayerPlan } from './plan-layer.ts'
import { createDependencyError, storeFolder } from './run-manager.ts'

/** Folders inside `node_modules` that programs of packages write to. */
export const scratchFolders: readonly string[] = [
  '.cache',
  '.tmp',
  '.vite',
  '.vite-temp',
  '.vitest',
]

/** Includes the folders of each package of a workspace. */
export function findInstalledFolders(
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

/** True if each part of the path is a folder: an install may have replaced one by a link to anywhere. */
function isFolderIn(root: string, path: string): boolean {
  const parts = path.split('/')
  return parts.every((_, index) => {
    const whole = join(root, ...parts.slice(0, index + 1))
    return lstatSync(whole, { throwIfNoEntry: false })?.isDirectory() === true
  })
}

/**
 * Makes the folder writable for its owner only, on disk and in an overlay, and creates empty scratch
 * folders on which memory is mounted where programs write.
 */
export async function prepareFolder(folder: string): Promise<void> {
  if (folder.endsWith('/node_modules')) {
    for (const name of scratchFolders) await createFolder(join(folder, name))
  }
  const queue = [folder]
  for (const [index, path] of queue.entries()) {
    if (index % 256 === 0) await setImmediate()
    const stats = readStats(path)
    if (stats.isSymbolicLink()) continue
    chmodSync(path, (stats.mode & 0o755) | (stats.isDirectory() ? 0o700 : 0o600))
    if (stats.isDirectory()) queue.push(...readdirSync(path).map((name) => join(path, name)))
  }
}

async function createFolder(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats !== undefined && !stats.isDirectory()) await rm(path)
  await mkdir(path, { recursive: true })
}

/** Fails for a name that is not UTF-8 and for a path that is too long. */
function readStats(path: string): Stats {
  try {
    return lstatSync(path)
  } catch (error) {
    const short = JSON.stringify(path.slice(0, 200))
    throw createDependencyError(
      `The installed dependencies contain a path that cannot be read, ${short}. Remove the package it belongs to`,
      error,
    )
  }
}

export function summarizeLayer({ lockfile, folder, isPnp }: LayerPlan, path: string): string {
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
