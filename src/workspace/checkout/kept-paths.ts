/**
 * What an earlier check made and a later one needs. The check may have made anything: of what stays, no
 * link leads out, and nothing is there but files, folders and links.
 */

import { chmodSync, lstatSync, readdirSync, readlinkSync, unlinkSync } from 'node:fs'
import { posix } from 'node:path'
import { type Bytes, fromBuffer, fromText, inside } from '../bytes.ts'
import { at, type SweptFolder, takeAway } from './swept-folder.ts'
import type { TreeFiles } from './tree-source.ts'

/** What holds more than this is no output. */
const entriesMax = 200_000
/** Of one name after the other; far below what the system can name as one path. */
const pathBytesMax = 2048

/** Of these paths, those that are no part of the tree and not above it. */
export function keepable(
  paths: readonly string[],
  { files, folders }: Pick<TreeFiles, 'files' | 'folders'>,
  apart: ReadonlySet<Bytes>,
): ReadonlySet<Bytes> {
  const isOurs = (path: Bytes): boolean => files.has(path) || apart.has(path)
  const kept = paths
    .map((path) => fromText(path.replace(/^(\.\/)+/, '').replace(/\/+$/, '')))
    .filter((path) => {
      const parts = path.split('/')
      const isPath = parts.every((part) => part !== '' && part !== '.' && part !== '..')
      const isInOurs = parts.some((_, index) => isOurs(parts.slice(0, index + 1).join('/')))
      const isAbove = folders.has(path) || [...apart].some((one) => one.startsWith(`${path}/`))
      return isPath && parts[0] !== '.git' && !isInOurs && !isAbove
    })
  return new Set(kept)
}

/** What cannot be gone through is not kept. */
export function tidyKept(place: SweptFolder, path: Bytes): void {
  try {
    tidy(place, path)
  } catch {
    const seen = lstatSync(at(place, path), { bigint: true, throwIfNoEntry: false })
    if (seen !== undefined) takeAway(place, path, seen)
  }
}

function tidy(place: SweptFolder, top: Bytes): void {
  const queue: Bytes[] = [top]
  for (const path of queue) {
    if (path.length > pathBytesMax || queue.length > entriesMax) throw new Error('too much')
    const seen = lstatSync(at(place, path), { bigint: true })
    if (seen.isDirectory()) {
      if ((seen.mode & 0o7700n) !== 0o700n) chmodSync(at(place, path), 0o755)
      for (const name of readdirSync(at(place, path), { encoding: 'buffer' })) {
        queue.push(inside(path, fromBuffer(name)))
      }
    } else if (seen.isFile()) {
      if ((seen.mode & 0o7600n) !== 0o600n) {
        chmodSync(at(place, path), Number(seen.mode & 0o777n) | 0o600)
      }
    } else if (!seen.isSymbolicLink() || leadsOut(place, path)) unlinkSync(at(place, path))
  }
}

function leadsOut(place: SweptFolder, path: Bytes): boolean {
  const target = fromBuffer(readlinkSync(at(place, path), { encoding: 'buffer' }))
  const led = posix.join(posix.dirname(path), target)
  return target.startsWith('/') || led === '..' || led.startsWith('../')
}
