/**
 * Every case of the contract can fail: an agent that keeps all of it, and for each case agents that differ
 * from it in one thing.
 */

import { describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/index.ts'
import {
  type AgentContractOptions,
  agentContract,
  type ContractScene,
} from '../../src/testing/index.ts'
import { endAll, keeper, options, plain } from './broken-agents.ts'
import { brokenAtTheEnd } from './broken-at-the-end.ts'
import { brokenAtWork } from './broken-at-work.ts'

const broken = { ...brokenAtWork, ...brokenAtTheEnd }

const contractOf = (
  make: (scene: ContractScene) => Agent['work'],
  more: Partial<AgentContractOptions> = options,
): ReturnType<typeof agentContract> =>
  agentContract({ ...more, make: (scene) => ({ work: make(scene) }) })

describe('an agent that keeps the contract', () => {
  test.each(contractOf(keeper))('$name', ({ run }) => expect(run()).resolves.toBeUndefined())
})

describe('an agent that is over at once', () => {
  const cases = contractOf(() => plain, { isInstant: true, startMs: 20 })
  test.each(cases)('$name', ({ run }) => expect(run()).resolves.toBeUndefined())
})

describe.each(Object.entries(broken))('the case "%s"', (name, agents) => {
  test.each(agents)('fails for $why', async ({ make, says, options: more = options }) => {
    const found = contractOf(make, more).find((one) => one.name === name)
    expect(found?.name).toBe(name)
    try {
      await expect(found?.run()).rejects.toThrow(says)
      await expect(found?.run()).rejects.toMatchObject({ name: 'ContractError' })
    } finally {
      endAll()
    }
  })
})

test('every case that there is fails for somebody', () => {
  const all = [
    ...contractOf(keeper),
    ...contractOf(() => plain, { isInstant: true, needsWorkspace: true }),
  ]
  expect([...new Set(all.map(({ name }) => name))].toSorted()).toEqual(
    Object.keys(broken).toSorted(),
  )
})
