/**
 * Tracks what was read in this iteration. An agent may change a file only if it has read its
 * current content: each iteration starts with nothing read, and a file that changed must be read
 * again.
 */

import type { BigIntStats } from 'node:fs'
import { shown } from './path-text.ts'
import { ToolError } from './tool.ts'

export interface ReadTracker {
  markRead(iteration: number, path: string, stats: BigIntStats): void
  /** It was read before a crash; its state at that time is unknown. */
  markReadOnce(iteration: number, path: string): void
  /** Rejects with `not-read`, or with `changed` if the file changed since it was read. */
  require(iteration: number, path: string, stats: BigIntStats): void
}

/** Older ones are forgotten, and have to be read again. */
const filesMax = 10_000
const anyState = ''

export function createReadTracker(): ReadTracker {
  const files = new Map<string, string>()
  let current: number | undefined

  const remember = (iteration: number, path: string, state: string): void => {
    if (iteration !== current) files.clear()
    current = iteration
    files.delete(path)
    files.set(path, state)
    for (const oldest of files.keys()) {
      if (files.size <= filesMax) break
      files.delete(oldest)
    }
  }

  return {
    markRead: (iteration, path, stats) => remember(iteration, path, toState(stats)),
    markReadOnce: (iteration, path) => remember(iteration, path, anyState),
    require(iteration, path, stats) {
      const state = iteration === current ? files.get(path) : undefined
      if (state === undefined) {
        const message = `${shown(path)} has not been read in this iteration. Read it first.`
        throw new ToolError('not-read', message)
      }
      if (state !== anyState && state !== toState(stats)) {
        const message = `${shown(path)} changed since it was read. Read it again.`
        throw new ToolError('changed', message)
      }
    },
  }
}

const toState = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(':')
