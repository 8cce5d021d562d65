/** The file of a call, from its arguments alone: all that is known after a crash. */

import { posix } from 'node:path'
import type { Json } from '../loop/index.ts'
import { isOutputPath } from './path-text.ts'

/** Undefined if it is not a path in the workspace. A path through a link must be read again. */
export function findReplayedPath(args: Json, workspace: string | undefined): string | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined
  const path = 'path' in args ? args['path'] : undefined
  if (typeof path !== 'string' || path === '' || isOutputPath(path)) return undefined
  const isAbsolute = path.startsWith('/') && workspace !== undefined
  const normal = isAbsolute ? posix.relative(workspace, path) : posix.normalize(path)
  return normal.startsWith('/') || normal.startsWith('..') ? undefined : normal
}
