/**
 * A file system whose k-th call fails. Calls on open files count too. With `k` past the last call
 * it is the real one, and reports how many calls there were, so that a test can go through all of
 * them.
 */

import * as nodeFiles from 'node:fs/promises'
import type { Files } from '../engine/index.ts'

/** A file system whose calls can fail, and the calls so far. */
export interface FailingFiles {
  readonly files: Files
  /** What was called so far, in order: `open`, `handle.write`… */
  readonly calls: readonly string[]
}

/** Which call fails, and with which error code. */
export interface FailingFilesOptions {
  /** The call that fails, from 1. Default: none. */
  readonly failAt?: number
  /** Every call from there on fails as well, as after a kill. */
  readonly andAfter?: boolean
  readonly code?: string
}

/** Creates a file system whose k-th call fails. */
export function createFailingFiles(options: FailingFilesOptions = {}): FailingFiles {
  const { failAt = Number.POSITIVE_INFINITY, andAfter = false, code = 'EIO' } = options
  const calls: string[] = []

  function before(name: string): void {
    calls.push(name)
    const fails = andAfter ? calls.length >= failAt : calls.length === failAt
    // A file that cannot even be closed would leak into the next test.
    if (!fails || name === 'handle.close') return
    throw Object.assign(new Error(`${code}: injected failure, ${name}`), { code })
  }

  function watch<T extends object>(target: T, prefix: string): T {
    return new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key, object)
        if (typeof value !== 'function' || typeof key !== 'string') return value
        return async (...args: unknown[]) => {
          before(prefix + key)
          const result: unknown = await Reflect.apply(value, object, args)
          return isHandle(result) ? watch(result, 'handle.') : result
        }
      },
    })
  }

  // A module's namespace is frozen, and a proxy must answer like its frozen target.
  return { files: watch({ ...nodeFiles }, ''), calls }
}

const isHandle = (value: unknown): value is nodeFiles.FileHandle =>
  typeof value === 'object' && value !== null && 'fd' in value && 'sync' in value
