/** Building blocks for the cases of the contract. */

import assert from 'node:assert/strict'
import type { Store } from '../../engine/index.ts'
import { LoopError, type RunEvent, type StepId } from '../../loop/index.ts'

/** A store and the world around it. */
export interface StoreScene {
  /** A connection, such as each process has. All of them see the same runs. */
  open(): Store
  /** The time of the clock of the store. */
  now(): number
  /** Moves the clock of the store. */
  advance(ms: number): Promise<void>
  /** From now on the owner is known to be dead. */
  kill(owner: string): void
  /** Closes every connection. */
  close(): Promise<void>
}

export interface StoreCase {
  /** A sentence about a store. */
  readonly name: string
  play(store: Store, scene: StoreScene): Promise<void>
}

export async function refuses(work: Promise<unknown>, code: string): Promise<LoopError> {
  const error = await work.then(
    () => assert.fail(`it was not refused with ${code}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof LoopError, `not a LoopError: ${String(error)}`)
  assert.equal(error.code, code)
  return error
}

export const started: RunEvent = { type: 'run-started', owner: 'me', fence: 1 }

export const ended: RunEvent = {
  type: 'run-ended',
  outcome: { type: 'cancelled', by: 'ada', reason: '' },
}

export const begin = (iteration: number): RunEvent => ({ type: 'iteration-started', iteration })

export const end = (iteration: number): RunEvent => ({
  type: 'iteration-ended',
  iteration,
  ending: { type: 'continue' },
})

export const finish = (
  name: string,
  fields: Partial<Extract<RunEvent, { type: 'step-finished' }>> = {},
): RunEvent => ({
  type: 'step-finished',
  iteration: 1,
  step: name as StepId,
  attempt: 1,
  ...fields,
})

export const ask = (iteration: number, name: string, wakeAtMs: number): RunEvent => ({
  type: 'step-started',
  iteration,
  step: `ask:${name}#1` as StepId,
  attempt: 1,
  kind: 'ask',
  wakeAtMs,
  question: { text: `${name}?`, default: 'no' },
})

/** As it is after it was written and read again. */
export const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Resolves when it was called this many times. */
export function calls(): { readonly call: () => void; times(count: number): Promise<void> } {
  let count = 0
  const waiting = new Map<number, () => void>()
  return {
    call() {
      count += 1
      waiting.get(count)?.()
    },
    times: (wanted) =>
      count >= wanted
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.set(wanted, resolve)
          }),
  }
}
