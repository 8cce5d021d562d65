/**
 * Every call by which a run changes or reads the world, as a place where a proof can step in: the
 * store's statements, the calls on files and on open files, and the starting of programs.
 *
 * A place has a name, and each call of it a number. A proof is told before and after the call; a
 * write is also told when half of its bytes are on disk. What it throws, the call throws.
 */

import { spawn as nodeSpawn } from 'node:child_process'
import { constants } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import type { Files } from 'loopwright/testing'
import type { Database } from '#src/journal/index.ts'
import { watchDatabase } from '#src/testing/watched-database.ts'

export type Phase = 'before' | 'half' | 'after'

export interface Call {
  /** For example `sql.commit`, `blobs.rename`, `work.write`, `spawn`. */
  readonly site: string
  /** False for calls that only read. */
  readonly changes: boolean
  readonly occurrence: number
}

export interface Watch {
  reach(call: Call, phase: Phase): void
  /** Whether to step in at half of this write: then it is not written on. */
  readonly halves?: (call: Call) => boolean
}

/** Numbers the calls of each place. */
export interface Counter {
  readonly counts: ReadonlyMap<string, number>
  next(site: string, changes: boolean): Call
}

export function createCounter(): Counter {
  const counts = new Map<string, number>()
  return {
    counts,
    next(site, changes) {
      const occurrence = (counts.get(site) ?? 0) + 1
      counts.set(site, occurrence)
      return { site, changes, occurrence }
    },
  }
}

export function watchStatements(database: Database, counter: Counter, watch: Watch): Database {
  // Statements do not overlap: the store is synchronous.
  let call: Call | undefined
  return watchDatabase(database, {
    before(sql) {
      call = counter.next(`sql.${verbOf(sql)}`, !/^\s*(SELECT|PRAGMA \w+$)/.test(sql))
      watch.reach(call, 'before')
    },
    after() {
      if (call !== undefined) watch.reach(call, 'after')
    },
  })
}

/** `INSERT INTO events …` is `insert-events`. */
function verbOf(sql: string): string {
  const words = sql
    .trim()
    .toLowerCase()
    .replace(/^insert or ignore/, 'insert')
    .replaceAll(/ (into|from|table|immediate|unit)\b/g, ' ')
    .split(/[\s(;]+/)
  const [verb = '', object = ''] = words
  const named = ['insert', 'update', 'delete', 'pragma', 'create'].includes(verb) && object !== ''
  return named ? `${verb}-${object}` : verb
}

const changing = new Set(
  'appendFile chmod copyFile datasync link mkdir rename rm rmdir symlink sync truncate unlink utimes write writeFile'.split(
    ' ',
  ),
)

/** The real file system, watched. `area` says whose calls they are. */
export function watchFiles(area: string, counter: Counter, watch: Watch): Files {
  function watched<T extends object>(target: T): T {
    return new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key, object)
        if (typeof value !== 'function' || typeof key !== 'string') return value
        return async (...args: unknown[]) => {
          const opens = key === 'open' && isForWriting(args[1])
          const call = counter.next(`${area}.${opens ? 'create' : key}`, opens || changing.has(key))
          watch.reach(call, 'before')
          const halved = key === 'write' && watch.halves?.(call) === true
          const result: unknown = await Reflect.apply(value, object, halved ? half(args) : args)
          watch.reach(call, halved ? 'half' : 'after')
          return isHandle(result) ? watched(result) : result
        }
      },
    })
  }
  // A module's namespace is frozen, and a proxy may not answer otherwise than a frozen object.
  return watched({ ...nodeFiles })
}

function half([bytes, offset = 0]: unknown[]): unknown[] {
  if (!(bytes instanceof Uint8Array) || typeof offset !== 'number') return [bytes, offset]
  return [bytes, offset, Math.ceil((bytes.length - offset) / 2)]
}

const isForWriting = (flags: unknown): boolean =>
  typeof flags === 'number'
    ? (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0
    : typeof flags === 'string' && flags !== 'r'

const isHandle = (value: unknown): value is nodeFiles.FileHandle =>
  typeof value === 'object' && value !== null && 'fd' in value && 'sync' in value

/** The starting of programs, watched. */
export function watchSpawn(counter: Counter, watch: Watch): typeof nodeSpawn {
  return new Proxy(nodeSpawn, {
    apply(target, self, args) {
      const call = counter.next('spawn', true)
      watch.reach(call, 'before')
      const child: unknown = Reflect.apply(target, self, args)
      watch.reach(call, 'after')
      return child
    },
  })
}
