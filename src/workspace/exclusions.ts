/**
 * Paths that are not part of a workspace's trees.
 *
 * 1. An excluded path, with everything below it, is never read, written or removed.
 * 2. `.git` is excluded in every folder. But a `.git` in a folder that the restored tree does not have is
 *    removed with that folder, because it was created after the tree.
 * 3. A tree does not depend on whether an excluded path exists: a parent folder of it is in a tree only if the
 *    folder contains something else.
 */

import { LoopError } from '../loop/index.ts'
import { type Bytes, fromText } from './bytes.ts'

export interface Exclusions {
  /** Not part of any tree. */
  has(path: Bytes): boolean
  /** Must not be removed, even if its folder is. */
  protects(path: Bytes): boolean
  /** A protected path is below this one, even if it does not exist. */
  isAbove(path: Bytes): boolean
}

/** Paths are relative to the root, with `/` as the separator. */
export function createExclusions(paths: readonly string[]): Exclusions {
  const excluded = new Set(paths.map(parsePath))
  const above = new Set([...excluded].flatMap(listParents))
  return {
    has: (path) => excluded.has(path) || path === '.git' || path.endsWith('/.git'),
    protects: (path) => excluded.has(path),
    isAbove: (path) => above.has(path),
  }
}

function parsePath(path: string): Bytes {
  const parts = path
    .replace(/^(\.\/)+/, '')
    .replace(/\/+$/, '')
    .split('/')
  if (parts.every((part) => part !== '' && part !== '.' && part !== '..')) {
    return fromText(parts.join('/'))
  }
  const advice = 'Use a path relative to the workspace, like "build/cache".'
  throw new LoopError('bad-request', `Cannot exclude ${JSON.stringify(path)}. ${advice}`)
}

function listParents(path: Bytes): readonly Bytes[] {
  const parts = path.split('/')
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
