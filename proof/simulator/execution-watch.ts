/**
 * What the code of steps does.
 *
 * E1. The start of an attempt is on disk before its code runs.
 * E2. A step with a result does not run; an attempt runs once, on the tree that its start names.
 * E4. It runs with its worst case reserved, makes no further call without one, and is charged what it
 *     said it spent, else what it reserved; what did not run costs nothing.
 */

import { type Amount, add, type RunEvent, zero } from '#src/loop/index.ts'
import type { LogModel } from './log-model.ts'
import type { Work } from './program.ts'
import type { SimulatedFiles } from './simulated-files.ts'

/** One attempt of a step, while its code runs. */
export interface Execution {
  /** It says what it spent. */
  spends(amount: Amount): void
  /** It makes a call for which it reserved. */
  calls(): void
}

export interface ExecutionWatch {
  start(work: Work, step: string, attempt: number, iteration: number): Execution
  /** An event became durable, which may be the end of an attempt. */
  charged(event: RunEvent): void
}

export interface ExecutionOptions {
  readonly log: LogModel
  readonly files: SimulatedFiles | undefined
  readonly sync: () => void
  readonly violate: (reason: string) => void
}

export function createExecutionWatch(options: ExecutionOptions): ExecutionWatch {
  const { log, files, sync, violate } = options
  /** What each attempt that ran says it spent. */
  const spent = new Map<string, Amount | undefined>()
  const calls = new Map<string, number>()

  function checkStart(work: Work, step: string, attempt: number, iteration: number): void {
    const trip = log.open?.iteration === iteration ? log.open : undefined
    const started = trip?.starts.get(step)?.at(-1)
    if (started?.attempt !== attempt) violate(`E1: "${step}" runs before its start is on disk`)
    if (trip?.completions.has(step) === true) violate(`E2: "${step}" runs again`)
    const tree = work.readOnly ? undefined : files?.tree()
    if (started?.tree !== tree) {
      violate(`E2: "${step}" starts on tree ${tree}, and the journal says ${started?.tree}`)
    }
    if (!same(started?.reserved, work.reserve)) {
      violate(`E4: "${step}" runs without its reservation`)
    }
  }

  return {
    start(work, step, attempt, iteration) {
      sync()
      checkStart(work, step, attempt, iteration)
      const key = `${log.epoch}/${iteration}/${step}/${attempt}`
      if (spent.has(key)) violate(`E2: attempt ${attempt} of "${step}" runs twice`)
      spent.set(key, undefined)
      return {
        spends(amount) {
          spent.set(key, add(spent.get(key) ?? zero, amount))
        },
        calls() {
          sync()
          const made = (calls.get(step) ?? 0) + 1
          calls.set(step, made)
          const reserved = log.events.filter(
            ({ event }) => event.type === 'budget-reserved' && event.step === step,
          )
          if (reserved.length < made) violate(`E4: "${step}" calls without a reservation`)
        },
      }
    },
    charged(event) {
      if (
        event.type !== 'step-finished' &&
        event.type !== 'step-failed' &&
        event.type !== 'step-interrupted'
      ) {
        return
      }
      const { step, attempt, iteration } = event
      const starts = log.trips.at(-1)?.starts.get(step)
      const started = starts?.find((one) => one.attempt === attempt)
      const due = spent.get(`${log.epoch}/${iteration}/${step}/${attempt}`) ?? started?.reserved
      if (same(due, event.spent)) return
      const charged = JSON.stringify(event.spent)
      violate(`E4: "${step}" is charged ${charged}, not ${JSON.stringify(due)}`)
    },
  }
}

const same = (a: Amount | undefined, b: Amount | undefined): boolean =>
  a?.tokens === b?.tokens && a?.costMicros === b?.costMicros
