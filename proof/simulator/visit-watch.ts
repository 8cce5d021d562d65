/**
 * What the code of a loop lives through while one process takes it around one iteration.
 *
 * E1. What is handed to the code is on disk.
 * E2. It is handed over in the order of the journal, and so the code asks again for what it asked for
 *     before: the same steps, doing the same.
 */

import type { Execution, ExecutionWatch } from './execution-watch.ts'
import type { LogModel } from './log-model.ts'
import type { Work } from './program.ts'

export interface VisitWatch {
  asked(step: string, input: number): void
  handed(step: string): void
  /** The code was stopped: what it does from now on means nothing. */
  lost(): void
  started(work: Work, step: string, attempt: number): Execution
}

export interface VisitOptions {
  readonly log: LogModel
  readonly iteration: number
  /** What steps were asked to do, in all visits. */
  readonly inputs: Map<string, number>
  readonly executions: ExecutionWatch
  /** Another process took the run over, or this one is dead. */
  readonly isZombie: () => boolean
  readonly isDead: () => boolean
  readonly sync: () => void
  readonly violate: (reason: string) => void
}

export function createVisitWatch(options: VisitOptions): VisitWatch {
  const { log, iteration, inputs, executions, isZombie, isDead, sync, violate } = options
  const place = `${log.epoch}/${iteration}`
  let lastSeq = 0
  let isLost = false
  return {
    lost() {
      isLost = true
    },
    asked(step, input) {
      if (isLost || isZombie()) return
      const known = inputs.get(`${place}/${step}`)
      if (known !== undefined && known !== input) {
        violate(`E2: "${step}" of iteration ${iteration} was asked for with another input`)
      }
      inputs.set(`${place}/${step}`, input)
    },
    handed(step) {
      if (isLost || isZombie()) return
      sync()
      const trip = log.open?.iteration === iteration ? log.open : undefined
      const completion = trip?.completions.get(step)
      if (completion === undefined) {
        violate(`E1: the result of "${step}" was handed over and is not on disk`)
      } else if (completion.seq <= lastSeq) {
        violate(`E2: the result of "${step}" was handed over out of order`)
      } else lastSeq = completion.seq
    },
    started(work, step, attempt) {
      if (!isZombie()) return executions.start(work, step, attempt, iteration)
      // A hook before a tool may be where the process was frozen: the step is under way then.
      if (work.via !== 'tool' && !isDead()) {
        violate(`E2: "${step}" was started by a process that lost the run`)
      }
      return { spends: () => undefined, calls: () => undefined }
    },
  }
}
