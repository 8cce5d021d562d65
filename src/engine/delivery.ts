/**
 * Hands results to a loop's code in the order in which they were journaled.
 *
 * Several steps may be under way at once and share variables, so the order in which results arrive is
 * part of what a run did.
 * D1. Results are handed over in the order of their events: recorded ones when they are asked for
 *     again, new ones when they are on disk, however long each took to get there.
 * D2. Each has a turn of its own: what the code does with one is done before the next comes. Only a
 *     new result that nothing else is under way beside needs no turn.
 */

import type { Clock } from './ports.ts'
import { createStepsUnderWay, type StepsUnderWay } from './steps-under-way.ts'

export interface Delivery {
  readonly underWay: StepsUnderWay
  /** A new result gets its place: its event is written, and may not be on disk yet. */
  expect(seq: number): void
  /** Resolves when the result is next; undefined: it is. */
  hand(seq: number): Promise<void> | undefined
  /** Nothing is handed over any more. */
  fail(error: Error): void
  enterParallel(): void
  leaveParallel(): void
  /** The first recorded result that nobody has asked for. */
  readonly unasked: number | undefined
}

interface Asker {
  readonly go: () => void
  readonly reject: (error: Error) => void
}

/** Code that asks in another order than before would wait for ever. */
const patienceMs = 60_000

/** `onMismatch` is told the seq of a recorded result that nothing asks for. */
export function createDelivery(
  clock: Clock,
  recordedSeqs: readonly number[],
  onMismatch: (seq: number) => void,
): Delivery {
  const queue = recordedSeqs.toSorted((a, b) => a - b)
  const lastRecorded = queue.at(-1) ?? 0
  const underWay = createStepsUnderWay(clock)
  const askers = new Map<number, Asker>()
  let head = 0
  let depth = 0
  let handing = false
  let failure: Error | undefined
  const patience = createPatience(clock, onMismatch)

  function advance(): void {
    const seq = queue[head]
    if (seq === undefined || handing) return
    const asker = askers.get(seq)
    if (asker === undefined) {
      // A recorded result is asked for soon, or never.
      if (seq <= lastRecorded && askers.size > 0) patience.begin(seq)
      return
    }
    askers.delete(seq)
    moveOn()
    handing = true
    void clock.turn().then(() => {
      handing = false
      asker.go()
      advance()
    })
  }

  function moveOn(): void {
    head++
    patience.end()
    if (head < queue.length) return
    queue.length = 0
    head = 0
  }

  return {
    underWay,
    expect: (seq) => void queue.push(seq),
    hand(seq) {
      if (failure !== undefined) return Promise.reject(failure)
      if (queue[head] === seq && seq > lastRecorded && depth === 0 && !underWay.areBeside) {
        moveOn()
        return undefined
      }
      return new Promise((resolve, reject) => {
        askers.set(seq, { go: resolve, reject })
        advance()
      })
    },
    fail(error) {
      failure ??= error
      patience.end()
      for (const asker of askers.values()) asker.reject(error)
      askers.clear()
    },
    enterParallel() {
      depth++
    },
    leaveParallel() {
      depth--
    },
    get unasked() {
      return queue.slice(head).find((seq) => seq <= lastRecorded && !askers.has(seq))
    },
  }
}

interface Patience {
  begin(seq: number): void
  end(): void
}

/** How long somebody waits for a result to be asked for. */
function createPatience(clock: Clock, onOver: (seq: number) => void): Patience {
  let timer: AbortController | undefined
  return {
    begin(seq) {
      if (timer !== undefined) return
      timer = new AbortController()
      clock.sleep(patienceMs, timer.signal).then(
        () => onOver(seq),
        () => undefined,
      )
    },
    end() {
      timer?.abort()
      timer = undefined
    },
  }
}
