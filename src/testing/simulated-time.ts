/**
 * Virtual time for several processes: a queue of tasks, of which one runs at a time.
 *
 * T1. The seed decides which due task runs next. Time moves only when none is due.
 * T2. Between two tasks, everything that the first one triggered has settled: all promises that can
 *     continue have continued.
 * T3. Tasks of a process that is dead never run; those of a frozen one wait until it thaws.
 * So what happens is a function of the seed alone.
 */

import type { Clock } from '../engine/index.ts'
import type { Signal } from '../loop/index.ts'
import type { SeededRandom } from './seeded-random.ts'

/** One process, as time sees it. */
export interface Lane {
  readonly name: string
  state: 'running' | 'frozen' | 'dead'
}

export const createLane = (name: string): Lane => ({ name, state: 'running' })

export interface SimulatedTime {
  readonly nowMs: number
  /** How many tasks have run. */
  readonly tasks: number
  /** Runs `task` after this delay; the returned function cancels it. */
  post(lane: Lane, ms: number, task: () => void): () => void
  clockOf(lane: Lane): Clock
  /** Runs one task. False when there is none that could ever run. */
  step(): Promise<boolean>
}

interface Task {
  readonly atMs: number
  readonly lane: Lane
  readonly run: () => void
  off: boolean
}

/** A date that cannot be mistaken for now. */
export const simulatedStartMs: number = Date.UTC(2040, 0, 1)

export function createSimulatedTime(random: SeededRandom): SimulatedTime {
  const chance = random.split()
  let queue: Task[] = []
  let nowMs = simulatedStartMs
  let tasks = 0

  function post(lane: Lane, ms: number, run: () => void): () => void {
    const task: Task = { atMs: nowMs + Math.max(0, Math.ceil(ms)), lane, run, off: false }
    queue.push(task)
    return () => {
      task.off = true
    }
  }

  function takeNext(): Task | undefined {
    queue = queue.filter((task) => !task.off && task.lane.state !== 'dead')
    const awake = queue.filter((task) => task.lane.state === 'running')
    if (awake.length === 0) return undefined
    nowMs = Math.max(nowMs, Math.min(...awake.map((task) => task.atMs)))
    const task = random.pick(awake.filter((one) => one.atMs <= nowMs))
    task.off = true
    return task
  }

  function sleep(lane: Lane, ms: number, signal?: Signal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      const onAbort = (): void => {
        callOff()
        reject(signal?.reason)
      }
      const callOff = post(lane, ms, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  return {
    get nowMs() {
      return nowMs
    },
    get tasks() {
      return tasks
    },
    post,
    clockOf(lane) {
      // Turns of one process run in the order in which they were requested; the rest does not.
      let lastTurn: Promise<void> = Promise.resolve()
      return {
        now: () => nowMs,
        sleep: (ms, signal) => sleep(lane, ms, signal),
        turn() {
          lastTurn = lastTurn.then(() => sleep(lane, 0))
          return lastTurn
        },
        random: () => chance.next(),
      }
    },
    async step() {
      const task = takeNext()
      if (task === undefined) return false
      tasks++
      task.run()
      await settled()
      return true
    },
  }
}

/**
 * All promises that can continue have continued, however long their chains: Node runs a tick only
 * when none is left. The simulation itself uses no ticks.
 */
export const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))
