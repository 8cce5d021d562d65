/**
 * A folder for what lives no longer than this process, such as sockets. One whose process was killed is
 * removed by whoever makes the next.
 *
 * Nothing is removed that is not ours, or whose process may live: a folder says whose it is.
 */

import { accessSync, constants } from 'node:fs'
import { lstat, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOwner, inTemporary, makeTemporaryFolder, mayLive } from '../system/index.ts'
import { removeTree } from './checkout/remove-tree.ts'

export interface OwnFolder {
  readonly path: string
  remove(): Promise<void>
}

const prefix = 'loopwright-'
const ownerFile = 'owner'
/** One without a word of its owner may be about to get it. */
const newMs = 3_600_000

/** Short, since the paths of sockets are; in the runtime folder unless told. */
export async function makeOwnFolder(parent: string = runtimeFolder()): Promise<OwnFolder> {
  await removeAbandonedFolders(parent)
  const path = await makeTemporaryFolder(prefix, parent)
  await inTemporary(parent, async () => {
    const written = join(path, `${ownerFile}.new`)
    await writeFile(written, createOwner(), { mode: 0o600 })
    await rename(written, join(path, ownerFile))
  })
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

function runtimeFolder(): string {
  const given = process.env['XDG_RUNTIME_DIR']
  return given !== undefined && given !== '' && isOurs(given) ? given : tmpdir()
}

/** After a change of user the variable may still name the folder of the one before. */
function isOurs(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Also for those who need none themselves: a run may be resumed where it asks no model any more. */
export async function removeAbandonedFolders(parent: string = runtimeFolder()): Promise<void> {
  const names = await readdir(parent).catch((): readonly string[] => [])
  const ours = names.filter((name) => /^loopwright-[A-Za-z0-9]{6}$/.test(name))
  await Promise.all(
    ours.map((name) => removeIfAbandoned(join(parent, name)).catch(() => undefined)),
  )
}

async function removeIfAbandoned(path: string): Promise<void> {
  const found = await lstat(path)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return
  const owner = await readFile(join(path, ownerFile), 'utf8').catch(() => undefined)
  // Only while it is empty.
  if (owner === undefined) return Date.now() - found.mtimeMs > newMs ? rmdir(path) : undefined
  if (!mayLive(owner)) await removeTree(path)
}
