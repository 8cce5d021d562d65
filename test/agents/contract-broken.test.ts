/**
 * Every case of the contract can fail: an agent that keeps all of it, and for each case agents that
 * differ from it in one respect.
 */

import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/index.ts'
import type { AgentContext } from '../../src/loop/index.ts'
import {
  type AgentContractOptions,
  agentContract,
  type ContractScene,
} from '../../src/testing/index.ts'
import { endAll, keeper, options, plain, report, sleeper, timers } from './broken-agents.ts'
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

describe('an agent that is done at once', () => {
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

describe('what an agent leaves behind', () => {
  const caseOf = (name: string, make: (scene: ContractScene) => Agent['work']) =>
    contractOf(make).find((one) => one.name === name)

  const leaving =
    (leave: (context: AgentContext) => unknown) =>
    (scene: ContractScene): Agent['work'] =>
    async (task, context) => {
      leave(context)
      return keeper(scene)(task, context)
    }

  test.each([
    // Others have timers too, which come and go: so there are many of these.
    {
      what: 'timers',
      type: 'Timeout',
      leave: () => setInterval(() => undefined, 60_000),
      many: 40,
    },
    {
      what: 'a server',
      type: 'TCPServerWrap',
      leave: () => createServer().listen(0, '127.0.0.1'),
      many: 1,
    },
    {
      what: 'a child',
      type: 'ProcessWrap',
      leave: () => spawn(process.execPath, sleeper),
      many: 1,
    },
  ])('does not keep the process alive after any case: $what', async ({ type, leave, many }) => {
    const left: (ReturnType<typeof spawn> | Server | NodeJS.Timeout)[] = []
    const living = (): number =>
      process.getActiveResourcesInfo().filter((one) => one === type).length
    const before = living()
    const found = caseOf(
      'writes valid notes',
      leaving(() => {
        for (let count = 0; count < many; count++) left.push(leave())
      }),
    )
    await expect(found?.run()).resolves.toBeUndefined()
    expect(left.length).toBeGreaterThanOrEqual(many)
    expect(living()).toBeLessThan(before + many)
    for (const one of left) {
      if ('kill' in one) one.kill('SIGKILL')
      else if ('close' in one) one.close()
    }
  })

  test('is ended with the case if it is a process in the work folder', async () => {
    const ids: number[] = []
    const gone: Promise<unknown>[] = []
    const found = caseOf(
      'writes valid notes',
      leaving(({ workspace = '.' }) => {
        const child = spawn(process.execPath, sleeper, { cwd: workspace, stdio: 'ignore' })
        ids.push(child.pid ?? 0)
        gone.push(new Promise((resolve) => child.once('exit', resolve)))
      }),
    )
    await found?.run()
    expect(ids).toHaveLength(1)
    await Promise.all(gone)
  })

  test('is named by the case that is about it, even if something else is wrong first', async () => {
    const found = caseOf('leaves nothing behind when it is stopped', () => async () => {
      timers.push(setInterval(() => undefined, 60_000))
      return report
    })
    await expect(found?.run()).rejects.toThrow(/It left behind: Timeout\..*over before it could be/)
  })
})

test('every case fails for some agent', () => {
  const all = [
    ...contractOf(keeper),
    ...contractOf(() => plain, { isInstant: true, needsWorkspace: true }),
  ]
  expect([...new Set(all.map(({ name }) => name))].toSorted()).toEqual(
    Object.keys(broken).toSorted(),
  )
})
