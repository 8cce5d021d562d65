/**
 * Hands results to a loop's code in the order in which they were journaled.
 *
 * Several steps may be under way at once and share variables, so the order in which results arrive is
 * part of what a run did.
 * D1. Results are handed over in the order of their events: recorded ones when they are asked for
 *     again, new ones when they are on disk, however long each took to get there.
 * D2. A refusal, which has no event, comes after all recorded results: when they were recorded, the code
 *     had not yet seen a refusal.
 * D3. Each has a separate turn: what the code does with one is done before the next comes. Only a
 *     new result that nothing else is under way beside needs no turn.
 */

import type { Clock } from './ports.ts'
import { createStepsUnderWay, type StepsUnderWay } from './steps/steps-under-way.ts'

export interface Delivery {
  readonly underWay: StepsUnderWay
  /** A new result gets its place: its event is written, and may not be on disk yet. */
  expect(seq: number): void
  /** Resolves when the result is next; undefined: it is. */
  hand(seq: number): Promise<void> | undefined
  /** Resolves when all recorded results were handed over, or nothing more will be; undefined if they already were. */
  allRecorded(): Promise<void> | undefined
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
  const patience = createPatience(clock, onMismatch)
  const queue = createQueue(recordedSeqs, patience.end)
  const lastRecorded = recordedSeqs.reduce((last, seq) => Math.max(last, seq), 0)
  const underWay = createStepsUnderWay(clock)
  const askers = new Map<number, Asker>()
  const refusals = createRefusals(clock, isReplaying)
  let depth = 0
  let handing = false
  let failure: Error | undefined

  function advance(): void {
    const seq = queue.next
    if (seq === undefined || handing) return
    const asker = askers.get(seq)
    if (asker === undefined) {
      // A recorded result is asked for soon, or never.
      if (failure === undefined && seq <= lastRecorded && askers.size + refusals.waiting > 0)
        patience.begin(seq)
      return
    }
    askers.delete(seq)
    queue.shift()
    handing = true
    void clock.turn().then(() => {
      handing = false
      asker.go()
      advance()
      refusals.releaseIfDone()
    })
  }

  function isReplaying(): boolean {
    return failure === undefined && (handing || (queue.next ?? Infinity) <= lastRecorded)
  }

  return {
    underWay,
    expect: queue.push,
    hand(seq) {
      if (failure !== undefined) return Promise.reject(failure)
      if (queue.next === seq && seq > lastRecorded && depth === 0 && !underWay.areBeside) {
        queue.shift()
        return undefined
      }
      return new Promise((resolve, reject) => {
        askers.set(seq, { go: resolve, reject })
        advance()
      })
    },
    allRecorded() {
      const recorded = isReplaying() ? refusals.wait() : undefined
      advance()
      return recorded
    },
    fail(error) {
      failure ??= error
      patience.end()
      refusals.releaseIfDone()
      for (const asker of askers.values()) asker.reject(error)
      askers.clear()
    },
    enterParallel: () => void depth++,
    leaveParallel: () => void depth--,
    get unasked() {
      return queue.rest().find((seq) => seq <= lastRecorded && !askers.has(seq))
    },
  }
}

interface SeqQueue {
  readonly next: number | undefined
  push(seq: number): void
  shift(): void
  rest(): readonly number[]
}

/** In the order of the journal; taking one does not move the others. */
function createQueue(seqs: readonly number[], onShift: () => void): SeqQueue {
  const queue = seqs.toSorted((a, b) => a - b)
  let head = 0
  return {
    get next() {
      return queue[head]
    },
    push: (seq) => void queue.push(seq),
    shift() {
      onShift()
      head++
      if (head < queue.length) return
      queue.length = 0
      head = 0
    },
    rest: () => queue.slice(head),
  }
}

/** Refusals held back until all recorded results are delivered. Each, like a result, gets a separate turn. */
function createRefusals(
  clock: Clock,
  isReplaying: () => boolean,
): { readonly waiting: number; wait(): Promise<void>; releaseIfDone(): void } {
  const waiting: (() => void)[] = []
  return {
    get waiting() {
      return waiting.length
    },
    wait: () => new Promise((resolve) => void waiting.push(resolve)),
    releaseIfDone() {
      if (waiting.length === 0) return
      void clock.turn().then(() => {
        if (!isReplaying()) for (const go of waiting.splice(0)) go()
      })
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
