// What a gate sees, what the journal keeps of it, and what the engine requests once work is certified.

import { describe, expect, test } from 'vitest'
import { allowListGate } from '../../src/authority/index.ts'
import { type Actions, type Gate, openQuestions, type Verdict } from '../../src/engine/index.ts'
import {
  type Action,
  type ActionFacts,
  FaultError,
  type PolicyRuling,
  type Receipt,
} from '../../src/loop/index.ts'
import { counting, met } from './certify-fixture.ts'
import { createWorld, loopOf, memoryWorkspace } from './fixture.ts'

const merge: Action = { kind: 'merge', summary: 'Merge the branch' }
const notify: Action = { kind: 'notify', summary: 'Tell ada' }
const done: Receipt = { status: 'done', summary: 'done' }

function executor(perform: Actions['perform'] = async () => done) {
  const performed: string[] = []
  const actions: Actions = {
    async perform(action, key, context) {
      performed.push(action.kind)
      return perform(action, key, context)
    },
    find: async () => ({ type: 'not-done' }),
  }
  return { actions, performed }
}

function watchingGate() {
  const seen: ActionFacts[] = []
  const gate: Gate = {
    async judge(_action, _at, facts) {
      seen.push(facts)
      return { type: 'allow', rule: 'test' }
    },
  }
  return { gate, seen }
}

const policyThat = (ruling: PolicyRuling) => ({
  inEffect: { digest: 'd', mode: 'enforce' as const, files: [] },
  judge: ({ action }: { readonly action: string }): PolicyRuling =>
    action === 'act' ? ruling : { decision: 'allow', rules: ['base'] },
})

describe('an action that is requested when the work is certified', () => {
  test('is judged with facts about certified work, and the verdict is journaled with it', async () => {
    const workspace = memoryWorkspace()
    const { gate, seen } = watchingGate()
    const { actions, performed } = executor()
    const loop = counting(workspace)
    const world = createWorld({
      workspace,
      checks: { test: met },
      actions,
      gate,
      level: 3,
      whenCertified: [merge],
      outsideScope: async (paths) => paths.filter((path) => path !== 'log'),
    })
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
    expect(performed).toEqual(['merge'])
    expect(seen).toMatchObject([{ level: 3, verified: true, outsideScope: [] }])
    const events = await world.journal.read(run)
    const verdict = events.find(
      ({ event }) => event.type === 'step-finished' && event.kind === 'gate',
    )
    expect(verdict?.event).toMatchObject({
      result: { value: { type: 'allow', rule: 'test', action: merge, facts: { verified: true } } },
    })
  })

  test('that fails does not prevent the next one, and the run is completed', async () => {
    const workspace = memoryWorkspace()
    const { actions, performed } = executor(async ({ kind }) => {
      if (kind === 'notify') return done
      throw new FaultError({ code: 'action-failed', message: 'conflict', retryable: false })
    })
    const loop = counting(workspace)
    const { gate } = watchingGate()
    const world = createWorld({
      workspace,
      checks: { test: met },
      actions,
      gate,
      whenCertified: [merge, notify],
    })
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
    expect(performed).toEqual(['merge', 'notify'])
  })

  describe('that needs other work', () => {
    /** The first merge finds a conflict. */
    async function conflicting(iterations: number, answer?: string) {
      const workspace = memoryWorkspace({ theirs: 'x' })
      const base = await workspace.snapshot()
      workspace.files.set('log', 'marked')
      const tree = await workspace.snapshot()
      workspace.files.clear()
      const rework = { tree, base, commit: 'c1' }
      const { actions, performed } = executor(async () => {
        if (performed.length > 1) return done
        const message = 'it conflicts'
        throw new FaultError({ code: 'needs-work', message, retryable: false, rework })
      })
      const { gate } = watchingGate()
      const world = createWorld({
        workspace,
        checks: { test: met },
        actions,
        gate,
        whenCertified: [merge],
      })
      const loop = counting(workspace)
      const run = await world.start(loop, { limits: { iterations } })
      const question = '1/ask:unmerged work#1'
      if (answer !== undefined) await world.decide(run, { type: 'answer', question, answer })
      expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
      const asked = (await world.only(run, 'step-started')).filter(({ kind }) => kind === 'ask')
      return { state: await world.state(run), performed, workspace, tree, base, asked }
    }

    test.each([
      ['if an iteration is left', 2, undefined, 0],
      ['in the last iteration, if a person says so', 1, 'continue', 1],
    ])('sends the run back %s', async (_, iterations, answer, questions) => {
      const { state, performed, workspace, tree, base, asked } = await conflicting(
        iterations,
        answer,
      )
      expect(performed).toHaveLength(2)
      expect(asked).toHaveLength(questions)
      expect(state.limits.iterations).toBe(answer === undefined ? iterations : 4)
      expect(state).toMatchObject({ iteration: 2, baseTree: base, follows: 'c1' })
      expect(workspace.restored).toEqual([tree])
    })

    test.each([
      ['without an answer', undefined],
      ['if a person says so', 'keep'],
    ])('in the last iteration fails %s, and the work stays certified', async (_, answer) => {
      const { state, performed, workspace, base, asked } = await conflicting(1, answer)
      expect(performed).toHaveLength(1)
      expect(asked[0]?.question).toMatchObject({
        default: 'keep',
        text: expect.stringContaining('it conflicts'),
      })
      expect([state.iteration, state.baseTree === base, state.follows]).toEqual([
        1,
        false,
        undefined,
      ])
      expect(workspace.restored).toEqual([])
    })
  })

  test('is not requested for work that is not complete', async () => {
    const workspace = memoryWorkspace()
    const { actions, performed } = executor()
    const loop = counting(workspace)
    const { gate } = watchingGate()
    const checks = { test: async () => ({ status: 'not-met' as const, output: '' }) }
    const world = createWorld({ workspace, checks, actions, gate, whenCertified: [merge] })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(performed).toEqual([])
  })
})

describe('an action in an iteration', () => {
  const acting = () => loopOf<unknown>(async (_context, it) => it.act(merge))

  test('is not verified: nothing is certified yet, so an allow-list asks, and silence refuses', async () => {
    const { actions, performed } = executor()
    const gate = allowListGate({ allow: ['merge'] })
    const world = createWorld({ actions, gate, level: 3 })
    const loop = acting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(performed).toEqual([])
    expect((await world.state(run)).progress).toMatchObject({ status: 'refused' })
  })

  test.each<[string, Gate['judge'], RegExp]>([
    ['throws', () => Promise.reject(new Error('no network')), /^the gate failed: no network$/],
    ['never answers', () => new Promise(() => undefined), /^the gate failed: It took longer than /],
    ['answers nothing', async () => undefined as unknown as Verdict, /^the gate gave no verdict$/],
  ])('is refused by a gate that %s', async (_what, judge, reason) => {
    const { actions, performed } = executor()
    const world = createWorld({ actions, gate: { judge }, level: 3 })
    const loop = acting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(performed).toEqual([])
    const { status, summary } = (await world.state(run)).progress as unknown as Receipt
    expect([status, summary]).toEqual(['refused', expect.stringMatching(reason)])
  })

  test('at level 1 is refused whatever the gate says', async () => {
    const { actions, performed } = executor()
    const { gate, seen } = watchingGate()
    const world = createWorld({ actions, gate, level: 1 })
    const loop = acting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect([performed, seen]).toEqual([[], []])
    expect((await world.state(run)).progress).toEqual({
      status: 'refused',
      summary: 'the level is L1-report: actions are reported, not performed',
    })
  })

  test('that the policy denies is refused before the gate is asked, with the rule', async () => {
    const { actions, performed } = executor()
    const { gate, seen } = watchingGate()
    const policy = policyThat({ decision: 'deny', rules: ['no-merge'], reason: 'not this week' })
    const world = createWorld({ actions, gate, policy })
    const loop = acting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect([performed, seen]).toEqual([[], []])
    expect((await world.state(run)).progress).toEqual({
      status: 'refused',
      summary: 'not this week',
    })
    const rulings = await world.journal.read(run, { types: ['policy-decided'] })
    expect(rulings.at(-1)?.event).toMatchObject({ action: 'act', resource: 'merge' })
  })

  test('is judged again by a policy that changed while a person was asked', async () => {
    const { actions, performed } = executor()
    let ruling: PolicyRuling = { decision: 'allow', rules: ['base'] }
    const policy = { ...policyThat(ruling), judge: () => ruling }
    const gate: Gate = { judge: async () => ({ type: 'ask', reason: 'first time' }) }
    const world = createWorld({ actions, gate, policy })
    const loop = acting()
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await world.clock.settle()
    ruling = { decision: 'deny', rules: ['frozen'], reason: 'the branch is frozen' }
    const [asked] = await openQuestions(world.journal, run)
    await world.decide(run, { type: 'answer', question: asked?.id ?? 'none', answer: 'allow' })
    await world.clock.pass(driving)
    expect(performed).toEqual([])
    const { progress } = await world.state(run)
    expect(progress).toEqual({ status: 'refused', summary: 'the branch is frozen' })
    const rulings = await world.journal.read(run, { types: ['policy-decided'] })
    expect(rulings.map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ action: 'act', decision: 'deny', rules: ['frozen'] }),
    )
  })

  test('that the policy permits still needs its gate', async () => {
    const { actions, performed } = executor()
    const policy = policyThat({ decision: 'allow', rules: ['base'] })
    const world = createWorld({ actions, policy })
    const loop = acting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(performed).toEqual([])
    expect((await world.state(run)).progress).toMatchObject({ summary: 'no gate is configured' })
  })
})
