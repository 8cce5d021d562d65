/**
 * Pauses a process and all its descendants, and resumes them.
 *
 * 1. When `pause` resolves with true, none of them runs until `resume`. When it resolves with false, they
 *    could not be paused in time and the caller has to kill them.
 * 2. Paused processes can be killed.
 *
 * The freezer of a control group guarantees this by itself. Without one, each process gets SIGSTOP
 * repeatedly, until two scans in a row find all of them stopped with unchanged context-switch counts: a
 * process that ran in between would have a higher count. A process that has asked the kernel for a signal
 * at some later time can still wake up then.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Freezer } from './cgroups.ts'
import { kill } from './process-group.ts'
import { listDescendants, listThreads, processesMax, readProc } from './process-tree.ts'

export interface ProcessFreezer {
  pause(): Promise<boolean>
  resume(): void
}

/** Usually milliseconds; longer only for a process that is blocked in the kernel, on a network disk for example. */
const pauseMsMax = 5000
const pollMsMax = 10

/** `first` returns the pid of the common ancestor, once it exists. */
export function createProcessFreezer(
  first: () => number | undefined,
  freezer: Freezer | undefined,
): ProcessFreezer {
  const method = freezer === undefined ? bySignals(first) : byCgroup(freezer)
  let calls = 0
  return {
    async pause() {
      const own = ++calls
      const startedAt = performance.now()
      try {
        const isPaused = method.startPause()
        for (let waitMs = 1; !isPaused(); waitMs = Math.min(2 * waitMs, pollMsMax)) {
          if (performance.now() - startedAt > pauseMsMax) return false
          await sleep(waitMs)
          // A later call took over.
          if (calls !== own) return true
        }
        return true
      } catch {
        return false
      }
    },
    resume() {
      calls += 1
      method.resume()
    },
  }
}

interface FreezeMethod {
  /** Returns the function to poll until it returns true. */
  startPause(): () => boolean
  resume(): void
}

const byCgroup = (freezer: Freezer): FreezeMethod => ({
  startPause() {
    freezer.freeze()
    return () => freezer.isFrozen()
  },
  resume: () => freezer.thaw(),
})

const bySignals = (first: () => number | undefined): FreezeMethod => ({
  startPause() {
    let before: string | undefined
    return () => {
      const top = first()
      if (top === undefined) throw new Error('The process to pause has not started.')
      const pids = listDescendants(top)
      if (pids.length >= processesMax) throw new Error('There are too many processes to pause.')
      const threads = pids.map((pid) => ({ pid, states: listThreads(pid).map(readState(pid)) }))
      const running = threads.filter(({ states }) => !states.every(isStopped))
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
    for (const pid of listDescendants(top)) kill(pid, 'SIGCONT')
  },
})

/** The state of a thread, its context-switch counts and its id. */
const readState =
  (pid: number) =>
  (thread: string): string => {
    const status = readProc(pid, `task/${thread}/status`)
    const lines = /^State:\s*(\S)|^\w*voluntary_ctxt_switches:\s*(\d+)/gm
    const found = [...status.matchAll(lines)].map(([, state, count]) => state ?? count)
    return [...found, thread].join(' ')
  }

/** Stopped, stopped by a debugger that is stopped itself, or dead. */
const isStopped = (state: string): boolean => /^[TtZX] /.test(state)
