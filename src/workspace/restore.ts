/**
 * Restores a directory to a tree, and writes only the files that differ.
 *
 * 1. Nothing outside the root changes. Each directory is checked not to be a symlink before anything in it is
 *    touched, and a file is replaced, never overwritten, so that hard links to it elsewhere stay unchanged.
 * 2. A file has its old content or its new content. If a restore is killed, the next one completes it; a
 *    temporary file left behind is not part of the tree, so it is removed.
 */

import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { TreeId } from '../loop/index.ts'
import { type Bytes, joinBytes, toPath } from './bytes.ts'
import { inParallel } from './in-parallel.ts'
import { ChangedError, hashFile } from './read-file.ts'
import { clearDirectory, makeAccessible, remove } from './remove.ts'
import { type FileEntry, type LinkEntry, loadTree } from './tree-object.ts'
import {
  absolutePath,
  concurrency,
  hasCode,
  listNames,
  readLinkTarget,
  tryLstat,
  type WorkspaceDirectory,
} from './workspace-directory.ts'
import { writeFile } from './write-file.ts'

export async function restore(
  workspace: WorkspaceDirectory,
  tree: TreeId,
  path: Bytes = '',
): Promise<void> {
  const entries = await loadTree(workspace.blobs, tree)
  const wanted = entries.filter(({ name }) => !workspace.exclusions.has(joinBytes(path, name)))
  await removeOthers(workspace, path, new Set(entries.map(({ name }) => name)))
  await inParallel(wanted, concurrency, async (entry) => {
    if (entry.type === 'file') await restoreFile(workspace, joinBytes(path, entry.name), entry)
    else if (entry.type === 'link') await restoreLink(workspace, joinBytes(path, entry.name), entry)
  })
  for (const entry of wanted) {
    if (entry.type !== 'directory') continue
    await makeDirectory(workspace, joinBytes(path, entry.name))
    await restore(workspace, entry.tree, joinBytes(path, entry.name))
  }
}

async function removeOthers(
  workspace: WorkspaceDirectory,
  path: Bytes,
  wanted: ReadonlySet<Bytes>,
): Promise<void> {
  const seen = await tryLstat(workspace, path)
  if (seen?.isDirectory() !== true) throw new ChangedError(path)
  await makeAccessible(workspace, path, seen)
  await inParallel(await listNames(workspace, path), concurrency, async (name) => {
    const child = joinBytes(path, name)
    if (!wanted.has(name) && !workspace.exclusions.has(child)) await remove(workspace, child)
  })
}

async function restoreFile(
  workspace: WorkspaceDirectory,
  path: Bytes,
  entry: FileEntry,
): Promise<void> {
  const seen = await tryLstat(workspace, path)
  const file = seen?.isFile() === true ? seen : undefined
  if (file !== undefined && (await isSame(workspace, path, file, entry))) return
  await clearDirectory(workspace, path, seen)
  await replace(workspace, path, (temporary) => writeFile(workspace, temporary, entry, file))
}

async function restoreLink(
  workspace: WorkspaceDirectory,
  path: Bytes,
  { target }: LinkEntry,
): Promise<void> {
  const seen = await tryLstat(workspace, path)
  if (seen?.isSymbolicLink() === true && (await readLinkTarget(workspace, path)) === target) return
  await clearDirectory(workspace, path, seen)
  const { symlink } = workspace.files
  await replace(workspace, path, (temporary) =>
    symlink(toPath(target), absolutePath(workspace, temporary)),
  )
}

async function makeDirectory(workspace: WorkspaceDirectory, path: Bytes): Promise<void> {
  const seen = await tryLstat(workspace, path)
  if (seen?.isDirectory() === true) return
  if (seen !== undefined) await workspace.files.unlink(absolutePath(workspace, path))
  await workspace.files.mkdir(absolutePath(workspace, path))
}

async function isSame(
  workspace: WorkspaceDirectory,
  path: Bytes,
  seen: BigIntStats,
  entry: FileEntry,
): Promise<boolean> {
  const executable = (seen.mode & 0o100n) !== 0n
  if (executable !== entry.executable || Number(seen.size) !== entry.bytes) return false
  const known = workspace.cache.find(path, seen)
  if (known !== undefined) return known === entry.blob
  const readAtMs = workspace.now()
  try {
    if ((await hashFile(workspace, path, seen)) !== entry.blob) return false
    workspace.cache.remember(path, seen, entry.blob, readAtMs)
    return true
  } catch (error) {
    // An unreadable file can still be replaced.
    if (error instanceof ChangedError || hasCode(error, 'EACCES', 'EPERM')) return false
    throw error
  }
}

async function replace(
  workspace: WorkspaceDirectory,
  path: Bytes,
  make: (temporary: Bytes) => Promise<void>,
): Promise<void> {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
  const temporary = joinBytes(folder, `.loopwright-${randomUUID()}`)
  try {
    await make(temporary)
    await workspace.files.rename(absolutePath(workspace, temporary), absolutePath(workspace, path))
  } catch (error) {
    // Report the original error, not one of the clean-up.
    await workspace.files.unlink(absolutePath(workspace, temporary)).catch(() => {})
    throw error
  }
}
