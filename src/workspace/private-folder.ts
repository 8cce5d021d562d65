/**
 * A private folder for the lifetime of this process, for sockets for example. If a process was killed, the
 * next process that creates such a folder removes the one left behind.
 *
 * Each folder contains the id of its owner. A folder of another user, or of a process that may be alive, is
 * never removed.
 */

import { accessSync, constants } from 'node:fs'
import { lstat, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createOwnerId,
  explainTemporaryFolderErrors,
  makeTemporaryFolder,
  mayBeAlive,
} from '../system/index.ts'
import { removeTree } from './checkout/remove-tree.ts'

export interface PrivateFolder {
  readonly path: string
  remove(): Promise<void>
}

const prefix = 'loopwright-'
const ownerFile = 'owner'
/** A newer folder without an owner file may be about to get one. */
const graceMs = 3_600_000

/** Has a short path, which sockets need. Default parent: the runtime folder. */
export async function makePrivateFolder(parent: string = runtimeFolder()): Promise<PrivateFolder> {
  await removeAbandonedPrivateFolders(parent)
  const path = await makeTemporaryFolder(prefix, parent)
  await explainTemporaryFolderErrors(parent, async () => {
    const temporary = join(path, `${ownerFile}.new`)
    await writeFile(temporary, createOwnerId(), { mode: 0o600 })
    await rename(temporary, join(path, ownerFile))
  })
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

function runtimeFolder(): string {
  const folder = process.env['XDG_RUNTIME_DIR']
  return folder !== undefined && folder !== '' && isWritable(folder) ? folder : tmpdir()
}

/** After `su` the variable may still point to the folder of the previous user. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Exported for processes that need no folder themselves, such as a resumed run that calls no model. */
export async function removeAbandonedPrivateFolders(
  parent: string = runtimeFolder(),
): Promise<void> {
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
  // rmdir fails if the folder is not empty.
  if (owner === undefined) return Date.now() - found.mtimeMs > graceMs ? rmdir(path) : undefined
  if (!mayBeAlive(owner)) await removeTree(path)
}
