/**
 * Paths that are no part of a workspace's trees: they are neither looked at nor touched.
 *
 * 1. An excluded path, with all below it, is never read, written or removed.
 * 2. `.git` is excluded in every folder; but one in a folder that a tree does not have goes with that
 *    folder, since it was made after the tree.
 * 3. Whether an excluded path exists does not show in a tree: a folder above it is in a tree only when
 *    something else is in that folder.
 */

import { LoopError } from '../loop/index.ts'
import { type Bytes, fromText } from './bytes.ts'

export interface Exclusions {
  /** No part of any tree. */
  has(path: Bytes): boolean
  /** Not to be removed, whatever happens to the folder that it is in. */
  protects(path: Bytes): boolean
  /** A protected path is below this one, or would be if it existed. */
  isAbove(path: Bytes): boolean
}

/** Paths are relative to the root, with `/` between their parts. */
export function createExclusions(paths: readonly string[]): Exclusions {
  const excluded = new Set(paths.map(checked))
  const above = new Set([...excluded].flatMap(parents))
  return {
    has: (path) => excluded.has(path) || path === '.git' || path.endsWith('/.git'),
    protects: (path) => excluded.has(path),
    isAbove: (path) => above.has(path),
  }
}

function checked(path: string): Bytes {
  const parts = path
    .replace(/^(\.\/)+/, '')
    .replace(/\/+$/, '')
    .split('/')
  if (parts.every((part) => part !== '' && part !== '.' && part !== '..')) {
    return fromText(parts.join('/'))
  }
  const advice = 'Give a path relative to the workspace, like "build/cache".'
  throw new LoopError('bad-request', `Cannot exclude ${JSON.stringify(path)}. ${advice}`)
}

function parents(path: Bytes): readonly Bytes[] {
  const parts = path.split('/')
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
