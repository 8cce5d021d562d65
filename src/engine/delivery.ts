/**
 * Hands results to a loop's code in the order in which they were journaled.
 *
 * Several steps may be in progress at once and share variables, so the order in which results arrive is
 * part of the history of a run.
 * D1. Results are delivered in the order of their events: recorded ones when the code requests them
 *     again, new ones when they are on disk.
 * D2. A refusal, which has no event, is delivered after all recorded results: when they were recorded, the code
 *     had not yet seen a refusal.
 * D3. Each result has a separate turn: the code finishes processing one before it gets the next. Only a
 *     new result with no other step in progress needs no turn.
 */

import type { Clock } from './ports.ts'
import { createPendingSteps, type PendingSteps } from './steps/pending-steps.ts'

export interface Delivery {
  readonly pendingSteps: PendingSteps
  /** Assigns the position of a new result: its event is written, but may not be on disk yet. */
  expect(seq: number): void
  /** Resolves when the result is next; undefined if it already is. */
  hand(seq: number): Promise<void> | undefined
  /** Resolves when all recorded results were delivered or delivery has stopped; undefined if it already has. */
  allRecorded(): Promise<void> | undefined
  /** Stops delivery. */
  fail(error: Error): void
  enterParallel(): void
  leaveParallel(): void
  /** The first recorded result that the code has not requested. */
  readonly firstUnrequested: number | undefined
}

interface PendingRequest {
  readonly go: () => void
  readonly reject: (error: Error) => void
}

/** Code that requests steps in a different order than before would wait forever. */
const patienceMs = 60_000

/** `onMismatch` receives the seq of a recorded result that the code never requests. */
export function createDelivery(
  clock: Clock,
  recordedSeqs: readonly number[],
  onMismatch: (seq: number) => void,
): Delivery {
  const patience = createPatience(clock, onMismatch)
  const queue = createQueue(recordedSeqs, patience.end)
  const lastRecorded = recordedSeqs.reduce((last, seq) => Math.max(last, seq), 0)
  const pendingSteps = createPendingSteps(clock)
  const requests = new Map<number, PendingRequest>()
  const refusals = createRefusals(clock, isReplaying)
  let depth = 0
  let handing = false
  let failure: Error | undefined

  function advance(): void {
    const seq = queue.next
    if (seq === undefined || handing) return
    const request = requests.get(seq)
    if (request === undefined) {
      // A recorded result is requested soon, or never.
      if (failure === undefined && seq <= lastRecorded && requests.size + refusals.waiting > 0)
        patience.begin(seq)
      return
    }
    requests.delete(seq)
    queue.shift()
    handing = true
    void clock.turn().then(() => {
      handing = false
      request.go()
      advance()
      refusals.releaseIfDone()
    })
  }

  function isReplaying(): boolean {
    return failure === undefined && (handing || (queue.next ?? Infinity) <= lastRecorded)
  }

  return {
    pendingSteps,
    expect: queue.push,
    hand(seq) {
      if (failure !== undefined) return Promise.reject(failure)
      if (queue.next === seq && seq > lastRecorded && depth === 0 && !pendingSteps.ranInParallel) {
        queue.shift()
        return undefined
      }
      return new Promise((resolve, reject) => {
        requests.set(seq, { go: resolve, reject })
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
      for (const request of requests.values()) request.reject(error)
      requests.clear()
    },
    enterParallel: () => void depth++,
    leaveParallel: () => void depth--,
    get firstUnrequested() {
      return queue.rest().find((seq) => seq <= lastRecorded && !requests.has(seq))
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

/** How long to wait until the code requests a result. */
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
