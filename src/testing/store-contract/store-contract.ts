/**
 * The contract of every store, as cases for any test runner:
 *
 *     for (const { name, run } of storeContract({ make: () => myScene() })) test(name, run)
 *
 * Each case makes an empty store and rejects with an `AssertionError` that says what was broken.
 */

import type { ContractCase } from '../agent-contract/agent-contract.ts'
import { decisionCases } from './decision-cases.ts'
import { eventCases } from './event-cases.ts'
import { leaseCases } from './lease-cases.ts'
import { memoryCases } from './memory-cases.ts'
import { mergeCases } from './merge-cases.ts'
import { questionCases } from './question-cases.ts'
import { queueCases } from './queue-cases.ts'
import { readCases } from './read-cases.ts'
import { removalCases } from './removal-cases.ts'
import { runCases } from './run-cases.ts'
import { scheduleCases } from './schedule-cases.ts'
import type { StoreScene } from './store-case.ts'
import { summaryCases } from './summary-cases.ts'
import { trustCases } from './trust-cases.ts'

/** Options of `storeContract`. */
export interface StoreContractOptions {
  /** An empty store. */
  make(): StoreScene | Promise<StoreScene>
}

/** The tests that every store has to pass. */
export function storeContract({ make }: StoreContractOptions): readonly ContractCase[] {
  const cases = [
    ...runCases,
    ...leaseCases,
    ...eventCases,
    ...readCases,
    ...decisionCases,
    ...questionCases,
    ...summaryCases,
    ...queueCases,
    ...mergeCases,
    ...memoryCases,
    ...trustCases,
    ...scheduleCases,
    ...removalCases,
  ]
  return cases.map(({ name, play }) => ({
    name,
    async run() {
      const scene = await make()
      try {
        await play(scene.open(), scene)
      } finally {
        await scene.close()
      }
    },
  }))
}
