/**
 * Writers of this process take turns, and wait for other processes without blocking the event loop.
 *
 * SQLite itself waits for a lock by blocking the whole process. So it waits only briefly; then the writer
 * whose turn it is retries now and then, while everything else continues.
 *
 * T1. First come, first served. If no writer waits and the journal is not locked, the write is immediate.
 * T2. A wait has a limit (E9): then this writer is refused, nothing is changed, and the next has its turn.
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
  /** Resolves when no writer waits. */
  idle(): Promise<void>
}

/** How long SQLite itself waits while the event loop is blocked. */
export const standstillMs = 20

/** Longer than any healthy process locks the journal. */
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

  /** False: another process has the journal locked, and there is time left. */
  function attempt({ sinceMs, work, refuse }: Turn): boolean {
    try {
      begin.run()
    } catch (cause) {
      if (isBusyError(cause) && performance.now() - sinceMs < patience) return false
      // The transaction may have begun anyway.
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
      // With jitter, so that processes do not retry at the same moment.
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

/** Reads rarely conflict; if they do, they are retried in the same way. */
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
