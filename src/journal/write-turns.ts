/**
 * Writers of this process take turns, and wait for those of others without standing in anybody's way.
 *
 * SQLite itself waits for a lock by sleeping, and the whole process with it. So it waits for a moment only;
 * then the one whose turn it is tries again now and then, while everything else goes on.
 *
 * T1. Whoever comes first is first. Where nobody waits and the record is free, it is done at once.
 * T2. A wait has a limit (E9): then this one is refused, with nothing changed, and the next has its turn.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'
import { rollBack } from './schema.ts'
import { isBusyError } from './store-failures.ts'

export interface WriteTurns {
  /**
   * `work` is called in a transaction that has begun, and ends it. `refuse` is called instead when none
   * could be begun. Neither may throw.
   */
  take(work: () => void, refuse: (cause: unknown) => void): void
  /** Resolves when nobody waits. */
  idle(): Promise<void>
}

/** How long SQLite itself waits, with the event loop standing still. */
export const standstillMs = 20

/** Longer than anybody holds the record who is well. */
export const patienceMs = 60_000

const pauseMsMax = 100

interface Turn {
  readonly sinceMs: number
  readonly work: () => void
  readonly refuse: (cause: unknown) => void
}

export function createWriteTurns(database: Database, patience: number = patienceMs): WriteTurns {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const waiting: Turn[] = []
  let working: Promise<void> | undefined

  /** False: another process holds the record, and there is time left. */
  function attempt({ sinceMs, work, refuse }: Turn): boolean {
    try {
      begin.run()
    } catch (cause) {
      if (isBusyError(cause) && performance.now() - sinceMs < patience) return false
      // It may have begun all the same.
      rollBack(database)
      refuse(cause)
      return true
    }
    work()
    return true
  }

  async function workThrough(): Promise<void> {
    let pauseMs = 5
    for (let turn = waiting[0]; turn !== undefined; turn = waiting[0]) {
      // Not all at the same moment, and others in between.
      await sleep(pauseMs * (0.5 + Math.random() / 2))
      const isDone = attempt(turn)
      if (isDone) waiting.shift()
      pauseMs = isDone ? 0 : Math.min(pauseMsMax, Math.max(5, pauseMs * 2))
    }
    working = undefined
  }

  return {
    take(work, refuse) {
      const turn = { sinceMs: performance.now(), work, refuse }
      if (waiting.length === 0 && attempt(turn)) return
      waiting.push(turn)
      working ??= workThrough()
    },
    idle: async () => working,
  }
}

/** Reads are seldom in anybody's way; when they are, they are tried again in the same manner. */
export async function readPatiently<T>(read: () => T, patience: number = patienceMs): Promise<T> {
  const sinceMs = performance.now()
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMsMax, pauseMs * 2)) {
    try {
      return read()
    } catch (cause) {
      if (!isBusyError(cause) || performance.now() - sinceMs >= patience) throw cause
    }
    await sleep(pauseMs)
  }
}
