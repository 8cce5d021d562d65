/**
 * Removes everything unexpected from a folder, and finds the files it lacks. No other process may write to it
 * meanwhile.
 *
 * 1. No symlink is followed: each folder is checked to be one before it is listed. Unexpected folders are
 *    renamed into the trash and removed later, however deep or unreadable they are.
 * 2. A file counts as unchanged without being read only if it was read before, and device, inode, size, mtime and
 *    ctime are the same since. Sandboxed processes cannot set the ctime, but it has a limited resolution: a file
 *    that was new when it was read is read again. See `hasReliableTimes` for file systems on which a file can
 *    change without its ctime.
 * 3. A changed file is replaced, not repaired, so that its mode, attributes and hard links are replaced too.
 */

import {
  type BigIntStats,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { type Bytes, fromBuffer, joinBytes } from '../bytes.ts'
import { identityOf } from '../stat-cache.ts'
import { hasCode } from '../workspace-directory.ts'
import { hashBytes, hashFile } from './hash-file.ts'
import { sanitizeKeptPath } from './kept-paths.ts'
import { absolutePath, discard, type SweptFolder } from './swept-folder.ts'
import type { SourceFile } from './tree-source.ts'

export interface ExpectedFiles {
  readonly files: ReadonlyMap<Bytes, SourceFile>
  readonly folders: ReadonlySet<Bytes>
  /** Ignored here, because the caller manages them. */
  readonly managedPaths: ReadonlySet<Bytes>
  /** These stay if they exist. */
  readonly keep: ReadonlySet<Bytes>
  /** The parent folders of `keep`. */
  readonly keepParents: ReadonlySet<Bytes>
}

/** Longer than the clock tick of any known file system with sub-second timestamps. */
const tickMs = 50n
const filesPerTurn = 256

/** Returns the missing files. All expected folders exist afterwards. */
export async function sweep(swept: SweptFolder, wanted: ExpectedFiles): Promise<readonly Bytes[]> {
  ensureRoot(swept)
  const present = new Set<Bytes>()
  const folders = new Set<Bytes>()
  const keepParents: Bytes[] = []
  const queue: Bytes[] = ['']
  let scanned = 0
  for (const folder of queue) {
    for (const name of readdirSync(absolutePath(swept, folder), { encoding: 'buffer' })) {
      scanned += 1
      if (scanned % filesPerTurn === 0) await setImmediate()
      const path = joinBytes(folder, fromBuffer(name))
      if (wanted.managedPaths.has(path)) continue
      const seen = lstatSync(absolutePath(swept, path), { bigint: true })
      const file = wanted.files.get(path)
      if (file !== undefined) {
        if (isExpected(swept, path, seen, file)) present.add(path)
        else discard(swept, path, seen)
      } else if (wanted.keep.has(path)) sanitizeKeptPath(swept, path)
      else if (seen.isDirectory() && (wanted.folders.has(path) || wanted.keepParents.has(path))) {
        makeAccessible(swept, path, seen)
        if (wanted.folders.has(path)) folders.add(path)
        else keepParents.push(path)
        queue.push(path)
      } else discard(swept, path, seen)
    }
  }
  for (const path of keepParents.toReversed()) removeIfEmpty(swept, path)
  // Before the files: ext4 removes a tree faster whose folders were made first.
  for (const path of [...wanted.folders].toSorted()) {
    if (!folders.has(path)) mkdirSync(absolutePath(swept, path))
  }
  for (const path of swept.known.keys()) if (!present.has(path)) swept.known.delete(path)
  return [...wanted.files.keys()].filter((path) => !present.has(path))
}

/** Without a sandbox, a command may have moved the root itself. */
function ensureRoot(swept: SweptFolder): void {
  const seen = lstatSync(absolutePath(swept, ''), { bigint: true, throwIfNoEntry: false })
  if (seen?.isDirectory() === true) return makeAccessible(swept, '', seen)
  if (seen !== undefined) unlinkSync(absolutePath(swept, ''))
  mkdirSync(absolutePath(swept, ''))
}

function isExpected(
  swept: SweptFolder,
  path: Bytes,
  seen: BigIntStats,
  wanted: SourceFile,
): boolean {
  if (seen.isSymbolicLink()) {
    if (wanted.kind !== 'link') return false
    const target = readlinkSync(absolutePath(swept, path), { encoding: 'buffer' })
    return hashBytes(target, swept.hash) === wanted.content
  }
  if (!seen.isFile() || wanted.kind === 'link' || seen.nlink !== 1n) return false
  const known = swept.known.get(path)
  if (known !== undefined) {
    return (
      known.identity === identityOf(seen) &&
      known.content === wanted.content &&
      hasMode(seen, wanted)
    )
  }
  if (!hasMode(seen, wanted)) return false
  const readAtMs = BigInt(Date.now())
  if (hashFile(absolutePath(swept, path), Number(seen.size), swept.hash) !== wanted.content)
    return false
  const isOld = seen.ctimeNs / 1_000_000n < readAtMs - tickMs
  if (swept.hasReliableTimes && isOld) {
    swept.known.set(path, { identity: identityOf(seen), content: wanted.content })
  }
  return true
}

/** Readable and writable by its owner, executable if expected, and without special bits. */
function hasMode({ mode }: BigIntStats, { kind }: SourceFile): boolean {
  return (mode & 0o7700n) === (kind === 'executable' ? 0o700n : 0o600n)
}

function makeAccessible(swept: SweptFolder, path: Bytes, { mode }: BigIntStats): void {
  if ((mode & 0o7700n) !== 0o700n) chmodSync(absolutePath(swept, path), 0o755)
}

function removeIfEmpty(swept: SweptFolder, path: Bytes): void {
  try {
    rmdirSync(absolutePath(swept, path))
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}
