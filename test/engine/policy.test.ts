// A policy is asked before each iteration, tool call and action, and its answer is on record.

import { describe, expect, test } from 'vitest'
import type { Tools } from '../../src/engine/index.ts'
import { askPolicyInStep } from '../../src/engine/policy.ts'
import {
  initialState,
  type PolicyRuling,
  type RunEvent,
  type StepId,
} from '../../src/loop/index.ts'
import { createWorld, idOf, loopOf, memoryWorkspace, worldAfter } from './fixture.ts'
import { allow, type FakePolicy, policyOf } from './policy-fixture.ts'

const atMost = (iterations: number, more: Partial<PolicyRuling> = {}): FakePolicy =>
  policyOf(({ action, context }) =>
    action === 'iterate' && context.iteration > iterations
      ? { decision: 'deny', rules: ['limit'], reason: `at most ${iterations}`, ...more }
      : allow,
  )

const counting = loopOf<number>(async (_context, it) => it.number, { until: [] })

describe('before an iteration', () => {
  test('a policy that denies ends the run, which names the rule', async () => {
    const policy = atMost(2)
    const world = createWorld({ policy })
    const run = await world.start(counting)
    expect(await world.finish(run, counting)).toMatchObject({
      outcome: { type: 'denied', rules: ['limit'], reason: 'at most 2' },
    })
    const rulings = await world.only(run, 'policy-decided')
    expect(rulings.map(({ iteration, decision }) => [iteration, decision])).toEqual([
      [1, 'allow'],
      [2, 'allow'],
      [3, 'deny'],
    ])
    expect(rulings[2]).toMatchObject({ policy: 'one', context: { iteration: 3, level: 2 } })
    expect(await world.state(run)).toMatchObject({ status: 'denied', iteration: 2 })
    expect(policy.asked.map(({ run: id }) => id)).toEqual([run, run, run])
  })

  test('a ruling is on record before its iteration starts', async () => {
    const world = createWorld({ policy: atMost(1) })
    const run = await world.start(counting)
    await world.finish(run, counting)
    const types = (await world.events(run)).map(({ event }) => event.type)
    expect(types.indexOf('policy-decided')).toBe(types.indexOf('iteration-started') - 1)
  })

  test('a monitored denial is recorded, and the run continues', async () => {
    const world = createWorld({ policy: atMost(1, { isMonitored: true }) })
    const run = await world.start(counting, { limits: { iterations: 3 } })
    expect(await world.finish(run, counting)).toMatchObject({ outcome: { type: 'exhausted' } })
    const rulings = await world.only(run, 'policy-decided')
    expect(rulings.filter(({ isMonitored }) => isMonitored === true)).toHaveLength(2)
  })

  test('a limit of the run holds although the policy allows more', async () => {
    const world = createWorld({ policy: atMost(100) })
    const run = await world.start(counting, { limits: { iterations: 2 } })
    expect(await world.finish(run, counting)).toMatchObject({
      outcome: { type: 'exhausted', limit: 'iterations' },
    })
  })

  test('a policy that throws denies', async () => {
    const policy = policyOf(() => {
      throw new Error('out of memory')
    })
    const world = createWorld({ policy })
    const run = await world.start(counting)
    expect(await world.finish(run, counting)).toMatchObject({
      outcome: { type: 'denied', reason: 'the policy could not be evaluated: out of memory' },
    })
  })

  test('it is asked exactly once about an iteration, at whatever moment the process is killed', async () => {
    const whole = createWorld({ policy: atMost(2) })
    const run = await whole.start(counting)
    await whole.finish(run, counting)
    const events = await whole.events(run)
    for (let kept = 1; kept < events.length; kept++) {
      const policy = atMost(2)
      const world = await worldAfter(events, kept, { policy })
      expect(await world.finish(run, counting)).toMatchObject({ outcome: { type: 'denied' } })
      const iterations = (await world.only(run, 'policy-decided')).map((event) => event.iteration)
      expect(iterations).toEqual([1, 2, 3])
    }
  })

  test('a resumed run with other rules is asked again', async () => {
    const whole = createWorld({ policy: atMost(1) })
    const run = await whole.start(counting)
    await whole.finish(run, counting)
    const events = await whole.events(run)
    const denied = events.findIndex(
      ({ event }) => event.type === 'policy-decided' && event.decision === 'deny',
    )
    const policy = policyOf(
      ({ context }) => atMost(2).judge({ action: 'iterate', loop: '', context }),
      'two',
    )
    const world = await worldAfter(events, denied + 1, { policy })
    await world.finish(run, counting)
    expect(await world.state(run)).toMatchObject({ iteration: 2, status: 'denied' })
  })

  test('raised limits make it ask again', async () => {
    const whole = createWorld({ policy: atMost(1) })
    const run = await whole.start(counting)
    await whole.finish(run, counting)
    const events = await whole.events(run)
    const denied = events.findIndex(
      ({ event }) => event.type === 'policy-decided' && event.decision === 'deny',
    )
    const policy = atMost(1)
    const world = await worldAfter(events, denied + 1, { policy })
    await world.decide(run, { type: 'change-limits', limits: { iterations: 200 } })
    expect(await world.finish(run, counting)).toMatchObject({ outcome: { type: 'denied' } })
    expect(policy.asked.map(({ context }) => context.iteration)).toEqual([2])
  })
})

describe('the numbers', () => {
  test('are those of the run at that moment', async () => {
    const workspace = memoryWorkspace({ 'sealed.txt': '', 'free.txt': '' })
    const policy = policyOf(() => allow)
    const world = createWorld({
      workspace: { ...workspace, changes: async () => ['sealed.txt', 'free.txt'] },
      policy,
      isSealed: (path) => path.startsWith('sealed'),
      level: 3,
    })
    const loop = loopOf<null>(
      async (_context, it) => {
        await it.step('write', ({ spend }) => {
          workspace.files.set('free.txt', String(it.number))
          spend({ tokens: 10, outputTokens: 4, costMicros: 7 })
        })
        return null
      },
      { until: [] },
    )
    const run = await world.start(loop, { limits: { iterations: 2 } })
    await world.finish(run, loop)
    expect(policy.asked.map(({ context }) => context)).toEqual([
      {
        iteration: 1,
        tokens: 0,
        inputTokens: 0,
        outputTokens: 0,
        costMicros: 0,
        elapsedMs: 0,
        filesChanged: 0,
        sealedTouched: 0,
        verified: 0,
        level: 3,
      },
      expect.objectContaining({
        iteration: 2,
        tokens: 10,
        inputTokens: 6,
        outputTokens: 4,
        costMicros: 7,
        filesChanged: 2,
        sealedTouched: 1,
      }),
    ])
  })

  test('do not compare the same trees again', async () => {
    let compared = 0
    const workspace = memoryWorkspace({ a: '' })
    const tools: Tools = { call: async () => ({ ok: true, output: '' }) }
    const world = createWorld({
      workspace: {
        ...workspace,
        changes: async () => {
          compared += 1
          return ['a']
        },
      },
      policy: policyOf(() => allow),
      tools,
      agents: {
        async work(_role, _task, context) {
          for (let call = 0; call < 20; call++) await context.callTool('read', {})
          return { status: 'done', text: '', usage: { tokens: 0, costMicros: 0 }, turns: 1 }
        },
      },
    })
    const loop = loopOf<null>(async (_context, it) => {
      await it.step('write', () => void workspace.files.set('a', 'changed'))
      await it.agent('maker', { prompt: '' }, { readOnly: true })
      return null
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(compared).toBe(1)
  })
})

test('an action is asked about by its kind, and the answer is on record', async () => {
  const events: RunEvent[] = []
  const record = async (added: readonly RunEvent[]): Promise<void> => void events.push(...added)
  const policy = policyOf(() => ({ decision: 'deny', rules: ['no-merge'], reason: 'not yet' }))
  const run = {
    id: idOf('r'),
    ports: { policy },
    recorder: {
      state: { ...initialState, loop: 'story', status: 'running' as const },
      record,
      note: () => undefined,
    },
  }
  const step = JSON.parse('"gate:merge#1"') as StepId
  expect(await askPolicyInStep(run, 4, step, { action: 'act', actionKind: 'merge' })).toMatchObject(
    {
      decision: 'deny',
    },
  )
  expect(events).toMatchObject([
    { type: 'policy-decided', action: 'act', resource: 'merge', iteration: 4, rules: ['no-merge'] },
  ])
  const without = { ...run, ports: {} }
  expect(await askPolicyInStep(without, 4, step, { action: 'act', actionKind: 'merge' })).toBe(
    undefined,
  )
})
