/** Compares a fork with its original: what each did and spent after the fork point. */

import { loadRun, type RunRow, readCreated, stateAt } from '../engine/index.ts'
import {
  type Amount,
  defined,
  LoopError,
  type Outcome,
  type RunState,
  type RunStatus,
  subtract,
} from '../loop/index.ts'
import type { HostPorts } from './host-ports.ts'

/** A fork compared with its original. */
export interface ForkComparison {
  /** Both are the same up to the end of this iteration. */
  readonly iteration: number
  readonly original: ForkSide
  readonly fork: ForkSide
}

/** Counted from the fork point. */
export interface ForkSide {
  readonly name: string
  readonly status: RunStatus
  readonly outcome?: Outcome
  readonly iterations: number
  readonly spent: Amount
}

export async function compareFork(
  { journal }: Pick<HostPorts, 'journal'>,
  idOrName: string,
): Promise<ForkComparison> {
  const fork = await journal.findRun(idOrName)
  const { origin } = await readCreated(journal, fork.id)
  if (origin?.type !== 'fork') {
    throw new LoopError(
      'bad-request',
      `Run "${fork.name}" is not a fork, so there is no run to compare it with.`,
    )
  }
  const { iteration } = origin
  const original = await journal.findRun(origin.run)
  const [{ state: there }, { state: here }, parted] = await Promise.all([
    loadRun(journal, original.id),
    loadRun(journal, fork.id),
    stateAt(journal, original.id, iteration),
  ])
  return {
    iteration,
    original: sideOf(original, there, iteration, subtract(there.spent, parted.spent)),
    fork: sideOf(fork, here, iteration, here.spent),
  }
}

const sideOf = (
  { name }: RunRow,
  { status, outcome, iteration }: RunState,
  from: number,
  spent: Amount,
): ForkSide => ({
  name,
  status,
  ...defined({ outcome }),
  iterations: Math.max(0, iteration - from),
  spent,
})
