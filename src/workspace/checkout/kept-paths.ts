/**
 * Output of an earlier check that a later one needs. The check may have created anything: symlinks that lead
 * outside, and everything except files, folders and symlinks, are removed.
 */

import { chmodSync, lstatSync, readdirSync, readlinkSync, unlinkSync } from 'node:fs'
import { posix } from 'node:path'
import { type Bytes, fromBuffer, fromText, joinBytes } from '../bytes.ts'
import { absolutePath, discard, type SweptFolder } from './swept-folder.ts'
import type { TreeFiles } from './tree-source.ts'

/** A folder with more entries is discarded. */
const entriesMax = 200_000
/** Relative to the root; far below the system's limit for a path. */
const pathBytesMax = 2048

/** Filters out paths that are part of the tree or a parent folder of it. */
export function filterKeepPaths(
  paths: readonly string[],
  { files, folders }: Pick<TreeFiles, 'files' | 'folders'>,
  managedPaths: ReadonlySet<Bytes>,
): ReadonlySet<Bytes> {
  const isReserved = (path: Bytes): boolean => files.has(path) || managedPaths.has(path)
  const kept = paths
    .map((path) => fromText(path.replace(/^(\.\/)+/, '').replace(/\/+$/, '')))
    .filter((path) => {
      const parts = path.split('/')
      const isPath = parts.every((part) => part !== '' && part !== '.' && part !== '..')
      const isInReserved = parts.some((_, index) => isReserved(parts.slice(0, index + 1).join('/')))
      const isAbove =
        folders.has(path) || [...managedPaths].some((one) => one.startsWith(`${path}/`))
      return isPath && parts[0] !== '.git' && !isInReserved && !isAbove
    })
  return new Set(kept)
}

/** A path that cannot be scanned is discarded. */
export function sanitizeKeptPath(swept: SweptFolder, path: Bytes): void {
  try {
    sanitize(swept, path)
  } catch {
    const seen = lstatSync(absolutePath(swept, path), { bigint: true, throwIfNoEntry: false })
    if (seen !== undefined) discard(swept, path, seen)
  }
}

function sanitize(swept: SweptFolder, top: Bytes): void {
  const queue: Bytes[] = [top]
  for (const path of queue) {
    if (path.length > pathBytesMax || queue.length > entriesMax)
      throw new Error('There are too many entries.')
    const seen = lstatSync(absolutePath(swept, path), { bigint: true })
    if (seen.isDirectory()) {
      if ((seen.mode & 0o7700n) !== 0o700n) chmodSync(absolutePath(swept, path), 0o755)
      for (const name of readdirSync(absolutePath(swept, path), { encoding: 'buffer' })) {
        queue.push(joinBytes(path, fromBuffer(name)))
      }
    } else if (seen.isFile()) {
      if ((seen.mode & 0o7600n) !== 0o600n) {
        chmodSync(absolutePath(swept, path), Number(seen.mode & 0o777n) | 0o600)
      }
    } else if (!seen.isSymbolicLink() || leadsOutside(swept, path))
      unlinkSync(absolutePath(swept, path))
  }
}

function leadsOutside(swept: SweptFolder, path: Bytes): boolean {
  const target = fromBuffer(readlinkSync(absolutePath(swept, path), { encoding: 'buffer' }))
  const resolved = posix.join(posix.dirname(path), target)
  return target.startsWith('/') || resolved === '..' || resolved.startsWith('../')
}
