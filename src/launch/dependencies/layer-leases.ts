/**
 * Leases keep a layer that a live process uses from being removed: `layers/leases/<folder>.<id>` names the
 * process.
 *
 * A lease is taken before the layer's record is read for the last time, and a layer is removed only when its
 * record is gone and no lease is left after that: of the two, one always sees the other.
 */

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createOwner, mayLive } from '../../system/index.ts'

export const leasesFolder = (store: string): string => join(store, 'leases')

/** How long the lease of a process on another machine counts, since its state is unknown. */
const leaseMsMax = 30 * 86_400_000
/** A file without a name yet is about to get it. */
const unnamedMsMax = 3_600_000

/** The one who makes a layer has this one; it needs no random name. */
export const makersLease = 'maker'

export async function takeLease(
  store: string,
  folder: string,
  id: string = randomUUID(),
): Promise<void> {
  const path = leasePath(store, folder, id)
  await mkdir(leasesFolder(store), { recursive: true, mode: 0o700 })
  // Whole or not there: an empty one would say nothing about its process.
  await writeFile(`${path}.new`, createOwner(), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

export const releaseLease = (store: string, folder: string, id: string): Promise<void> =>
  rm(leasePath(store, folder, id), { force: true })

/** Folders of layers that a living process may use; leases of the others are removed. */
export async function leasedFolders(store: string, now: number): Promise<ReadonlySet<string>> {
  const names = await readdir(leasesFolder(store)).catch((): readonly string[] => [])
  const leased = new Set<string>()
  for (const name of names) {
    const path = join(leasesFolder(store), name)
    if (await isLive(path, name, now)) leased.add(name.slice(0, name.indexOf('.')))
    else await rm(path, { force: true })
  }
  return leased
}

async function isLive(path: string, name: string, now: number): Promise<boolean> {
  try {
    const ageMs = now - (await stat(path)).mtimeMs
    if (name.endsWith('.new')) return ageMs < unnamedMsMax
    return ageMs < leaseMsMax && mayLive(await readFile(path, 'utf8'))
  } catch {
    return false // released meanwhile
  }
}

const leasePath = (store: string, folder: string, id: string): string =>
  join(leasesFolder(store), `${folder}.${id}`)
