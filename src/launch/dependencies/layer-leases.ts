/**
 * Leases protect a layer in use from removal: `layers/leases/<folder>.<id>` names the process that uses it.
 *
 * A lease is taken before the layer's record is read for the last time. A layer is removed only if its
 * record is deleted and there is no lease afterwards. So one of the two always sees the other.
 */

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createOwnerId, mayBeAlive } from '../../system/index.ts'

export const leasesFolder = (store: string): string => join(store, 'leases')

/** How long the lease of a process on another machine counts, because its state is unknown. */
const leaseMsMax = 30 * 86_400_000
/** How long a lease that is still being written counts. */
const unfinishedMsMax = 3_600_000

/** The id of the lease of the process that creates the layer: there is only one. */
export const makerLease = 'maker'

export async function takeLease(
  store: string,
  folder: string,
  id: string = randomUUID(),
): Promise<void> {
  const path = leasePath(store, folder, id)
  await mkdir(leasesFolder(store), { recursive: true, mode: 0o700 })
  // Written atomically: an empty lease would not identify its process.
  await writeFile(`${path}.new`, createOwnerId(), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

export const releaseLease = (store: string, folder: string, id: string): Promise<void> =>
  rm(leasePath(store, folder, id), { force: true })

/** Lists the layer folders that a live process may use, and removes the leases of dead processes. */
export async function listLeasedFolders(store: string, now: number): Promise<ReadonlySet<string>> {
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
    if (name.endsWith('.new')) return ageMs < unfinishedMsMax
    return ageMs < leaseMsMax && mayBeAlive(await readFile(path, 'utf8'))
  } catch {
    return false // released meanwhile
  }
}

const leasePath = (store: string, folder: string, id: string): string =>
  join(leasesFolder(store), `${folder}.${id}`)
