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

export interface Delivery {
  /** The loop's code asks for a step, which is under way until it is `answered`. */
  asked(): void
  answered(): void
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
  /** Resolves when no step is under way; undefined: none is. */
  idle(): Promise<void> | undefined
}

interface Asker {
  readonly go: () => void
  readonly reject: (error: Error) => void
}

/** Code that asks in another order than before would wait for ever. */
const patienceMs = 60_000

export function createDelivery(
  clock: Clock,
  recordedSeqs: readonly number[],
  /** Nothing asks for the recorded result with this seq. */
  onMismatch: (seq: number) => void,
): Delivery {
  const queue = [...recordedSeqs].sort((a, b) => a - b)
  const lastRecorded = queue.at(-1) ?? 0
  const askers = new Map<number, Asker>()
  let whenIdle: () => void = () => undefined
  let head = 0
  let depth = 0
  let underWay = 0
  let beside = false
  let handing = false
  let failure: Error | undefined
  let patience: AbortController | undefined

  function advance(): void {
    const seq = queue[head]
    const asker = seq === undefined ? undefined : askers.get(seq)
    if (seq === undefined || handing) return
    if (asker === undefined) return waitFor(seq)
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
    patience?.abort()
    patience = undefined
    if (head < queue.length) return
    queue.length = 0
    head = 0
  }

  /** A recorded result is asked for soon, or never. */
  function waitFor(seq: number): void {
    if (seq > lastRecorded || patience !== undefined || askers.size === 0) return
    patience = new AbortController()
    clock.sleep(patienceMs, patience.signal).then(
      () => onMismatch(seq),
      () => undefined,
    )
  }

  async function becomeIdle(): Promise<void> {
    while (underWay > 0) {
      await new Promise<void>((resolve) => {
        whenIdle = resolve
      })
      // What the code does with the last result may be to ask for another.
      await clock.turn()
    }
  }

  return {
    asked() {
      underWay++
      if (underWay > 1) beside = true
    },
    answered() {
      underWay--
      if (underWay > 0) return
      beside = false
      whenIdle()
    },
    expect(seq) {
      queue.push(seq)
    },
    hand(seq) {
      if (failure !== undefined) return Promise.reject(failure)
      if (queue[head] === seq && seq > lastRecorded && depth === 0 && !beside) {
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
      patience?.abort()
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
    idle: () => (underWay === 0 ? undefined : becomeIdle()),
  }
}
