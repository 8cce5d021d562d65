/** Finds files of a swept folder that changed since they were written there. Changes nothing. */

import { type BigIntStats, lstatSync, readlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Bytes } from '../bytes.ts'
import { identityOf } from '../stat-cache.ts'
import { hasCode } from '../workspace-directory.ts'
import { hashBytes, hashFile } from './hash-file.ts'
import type { ExpectedFiles } from './sweep.ts'
import { absolutePath, type SweptFolder } from './swept-folder.ts'
import type { SourceFile } from './tree-source.ts'

const filesPerTurn = 256

/** Returns at most `max` files. A file that was rewritten with the same content is unchanged. */
export async function findChangedFiles(
  swept: SweptFolder,
  { files }: Pick<ExpectedFiles, 'files'>,
  max: number,
): Promise<readonly Bytes[]> {
  const changed: Bytes[] = []
  let scanned = 0
  for (const [path, file] of files) {
    scanned += 1
    if (scanned % filesPerTurn === 0) await setImmediate()
    if (isUnchanged(swept, path, file)) continue
    changed.push(path)
    if (changed.length >= max) break
  }
  return changed
}

function isUnchanged(swept: SweptFolder, path: Bytes, file: SourceFile): boolean {
  const seen = tryLstat(swept, path)
  if (seen === undefined) return false
  if (seen.isSymbolicLink()) {
    const target = readlinkSync(absolutePath(swept, path), { encoding: 'buffer' })
    return file.kind === 'link' && hashBytes(target, swept.hash) === file.content
  }
  if (!seen.isFile() || file.kind === 'link') return false
  if ((seen.mode & 0o100n) !== (file.kind === 'executable' ? 0o100n : 0n)) return false
  const known = swept.known.get(path)
  if (known?.identity === identityOf(seen) && known.content === file.content) return true
  return hashFile(absolutePath(swept, path), Number(seen.size), swept.hash) === file.content
}

function tryLstat(swept: SweptFolder, path: Bytes): BigIntStats | undefined {
  try {
    return lstatSync(absolutePath(swept, path), { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    // A parent folder was replaced by another kind of file or a symlink cycle.
    if (hasCode(error, 'ENOTDIR', 'ELOOP', 'EACCES')) return undefined
    throw error
  }
}
