/**
 * What has been read in this iteration. A file may be changed only by who has seen it as it is: the
 * next iteration starts from nothing, and a file that changed since must be read again.
 */

import type { BigIntStats } from 'node:fs'
import { shown } from './path-text.ts'
import { ToolError } from './tool.ts'

export interface ReadTracker {
  saw(iteration: number, path: string, stats: BigIntStats): void
  /** It was seen before a crash; how it looked then is not known any more. */
  sawOnce(iteration: number, path: string): void
  /** Rejects with `not-read`, or with `changed` when it is not as it was seen. */
  require(iteration: number, path: string, stats: BigIntStats): void
}

/** Older ones are forgotten, and have to be read again. */
const filesMax = 10_000
const anyState = ''

export function createReadTracker(): ReadTracker {
  const seen = new Map<string, string>()
  let current: number | undefined

  const remember = (iteration: number, path: string, state: string): void => {
    if (iteration !== current) seen.clear()
    current = iteration
    seen.delete(path)
    seen.set(path, state)
    for (const oldest of seen.keys()) {
      if (seen.size <= filesMax) break
      seen.delete(oldest)
    }
  }

  return {
    saw: (iteration, path, stats) => remember(iteration, path, stateOf(stats)),
    sawOnce: (iteration, path) => remember(iteration, path, anyState),
    require(iteration, path, stats) {
      const state = iteration === current ? seen.get(path) : undefined
      if (state === undefined) {
        const message = `${shown(path)} has not been read in this iteration. Read it first.`
        throw new ToolError('not-read', message)
      }
      if (state !== anyState && state !== stateOf(stats)) {
        const message = `${shown(path)} changed since it was read. Read it again.`
        throw new ToolError('changed', message)
      }
    },
  }
}

const stateOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(':')
