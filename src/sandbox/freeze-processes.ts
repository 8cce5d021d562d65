/**
 * Holds still all processes that come of one, and lets them go on.
 *
 * 1. When `pause` has resolved with true, nothing of them runs until `resume`. With false it could not be
 *    had in time: whoever asked has to kill them.
 * 2. A kill works on those that are held.
 *
 * The freezer of a control group keeps this by itself. Without one they get a signal each, again and
 * again, until two looks in a row find all of them stopped and none of them changed in between: whoever
 * runs in between is switched to, and the kernel counts that. A process that has asked the kernel for a
 * signal at some later time can still wake up by itself then.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Freezer } from './cgroups.ts'
import { kill } from './process-group.ts'
import { descendantsOf, processesMax, readProc, threadsOf } from './process-tree.ts'

export interface Freezing {
  pause(): Promise<boolean>
  resume(): void
}

/** Milliseconds as a rule; longer only for what waits in the kernel, for a disk that is far away. */
const pauseMsMax = 5000
const lookMsMax = 10

/** `first` is the one that all others come from, once it is there. */
export function freezing(first: () => number | undefined, freezer: Freezer | undefined): Freezing {
  const how = freezer === undefined ? bySignals(first) : byFreezer(freezer)
  let turn = 0
  return {
    async pause() {
      const own = ++turn
      const startedAt = performance.now()
      try {
        const isPaused = how.pausing()
        for (let waitMs = 1; !isPaused(); waitMs = Math.min(2 * waitMs, lookMsMax)) {
          if (performance.now() - startedAt > pauseMsMax) return false
          await sleep(waitMs)
          // Somebody wants it to go on, who will see to the next pause.
          if (turn !== own) return true
        }
        return true
      } catch {
        return false
      }
    },
    resume() {
      turn += 1
      how.resume()
    },
  }
}

interface Way {
  /** What to ask until it says yes. */
  pausing(): () => boolean
  resume(): void
}

const byFreezer = (freezer: Freezer): Way => ({
  pausing() {
    freezer.freeze()
    return () => freezer.isFrozen()
  },
  resume: () => freezer.thaw(),
})

const bySignals = (first: () => number | undefined): Way => ({
  pausing() {
    let before: string | undefined
    return () => {
      const top = first()
      if (top === undefined) throw new Error('It is not known yet who is to be paused.')
      const pids = descendantsOf(top)
      if (pids.length >= processesMax) throw new Error('There are too many to look at.')
      const threads = pids.map((pid) => ({ pid, seen: threadsOf(pid).map(lookAt(pid)) }))
      const running = threads.filter(({ seen }) => !seen.every(isHeld))
      for (const { pid } of running) kill(pid, 'SIGSTOP')
      const now = running.length === 0 ? JSON.stringify(threads) : undefined
      const isSame = now !== undefined && now === before
      before = now
      return isSame
    }
  },
  resume() {
    const top = first()
    if (top === undefined) return
    for (const pid of descendantsOf(top)) kill(pid, 'SIGCONT')
  },
})

/** Its number, its state and how often it was switched to. */
const lookAt =
  (pid: number) =>
  (thread: string): string => {
    const status = readProc(pid, `task/${thread}/status`)
    const lines = /^State:\s*(\S)|^\w*voluntary_ctxt_switches:\s*(\d+)/gm
    const found = [...status.matchAll(lines)].map(([, state, count]) => state ?? count)
    return [...found, thread].join(' ')
  }

/** Stopped, stopped by a debugger that is held itself, or dead. */
const isHeld = (seen: string): boolean => /^[TtZX] /.test(seen)
