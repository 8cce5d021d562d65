/**
 * Hands results to a loop's code in the order in which they were journaled.
 *
 * Branches of `parallel` may share variables, so the order in which results arrive is part of what a
 * run did. Recorded results are handed out in recorded order, new ones after all of them, and while
 * several branches are under way each in a turn of its own.
 */

import { LoopError } from '../loop/index.ts'
import type { Clock } from './ports.ts'

export interface Delivery {
  /** Resolves when the recorded result with this seq is next. */
  recorded(seq: number): Promise<void>
  /** Resolves when a new result may be handed over. */
  live(): Promise<void> | undefined
  enterParallel(): void
  leaveParallel(): void
  /** The first recorded result that nobody has asked for. */
  readonly undelivered: number | undefined
}

/** Code that asks in another order than before would wait for ever. */
const patienceMs = 60_000

export function createDelivery(clock: Clock, recordedSeqs: readonly number[]): Delivery {
  const queue = [...recordedSeqs].sort((a, b) => a - b)
  const waiting = new Map<number, () => void>()
  const drained: (() => void)[] = []
  let head = 0
  let depth = 0
  let last: Promise<void> = Promise.resolve()

  /** One result per turn, in the order of the calls. */
  function nextTurn(): Promise<void> {
    last = last.then(() => clock.turn())
    return last
  }

  function advance(): void {
    const seq = queue[head]
    if (seq === undefined) {
      for (const go of drained.splice(0)) go()
      return
    }
    const hand = waiting.get(seq)
    if (hand === undefined) return
    waiting.delete(seq)
    head++
    if (depth === 0) {
      hand()
      advance()
    } else {
      void nextTurn().then(() => {
        hand()
        advance()
      })
    }
  }

  function patiently(register: (go: () => void) => void): Promise<void> {
    const timer = new AbortController()
    return new Promise<void>((resolve, reject) => {
      register(() => {
        timer.abort()
        resolve()
      })
      clock.sleep(patienceMs, timer.signal).then(
        () =>
          reject(
            new LoopError(
              'step-mismatch',
              'The loop asks for its steps in another order than the journal says: ' +
                `event ${queue[head]} was recorded, and nothing asks for it.`,
            ),
          ),
        () => undefined,
      )
    })
  }

  return {
    recorded(seq) {
      if (depth === 0 && queue[head] === seq) {
        head++
        advance()
        return Promise.resolve()
      }
      return patiently((go) => {
        waiting.set(seq, go)
        advance()
      })
    },
    live() {
      if (head < queue.length) {
        return patiently((go) => {
          drained.push(go)
        }).then(nextTurn)
      }
      return depth === 0 ? undefined : nextTurn()
    },
    enterParallel() {
      depth++
    },
    leaveParallel() {
      depth--
    },
    get undelivered() {
      return queue[head]
    },
  }
}
