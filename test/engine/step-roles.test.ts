import { expect, test } from 'vitest'
import type { AgentReport, ToolResult } from '../../src/loop/index.ts'
import { createWorld, loopOf } from './fixture.ts'

const usage = { tokens: 0, costMicros: 0 }
const report: AgentReport = { status: 'done', text: 'done', usage, turns: 1 }
const answer: ToolResult = { ok: true, output: 'found' }

test('the events of a step contain its kind and role', async () => {
  const world = createWorld({
    agents: { work: async () => report },
    tools: { call: async () => answer },
    checks: { tests: async () => ({ status: 'met', output: '' }) },
  })
  const loop = loopOf<null>(async (_context, it) => {
    await it.step('plan', () => 'a plan')
    await it.step('text for the agent', () => 'do it', { role: 'prompt' })
    await it.agent('reviewer', { prompt: 'review it' }, { role: 'ignored' })
    await it.tool('search', {})
    await it.check()
    await it.sleep('a while', 1)
    await it.ask('tone', { text: 'Which tone?', default: 'plain', deadlineMs: 1 })
    await it.artifact('log', 'text')
    return null
  })
  const run = await world.start(loop)
  await world.finish(run, loop)
  const expected = [
    ['plan#1', undefined, undefined],
    ['text for the agent#1', undefined, 'prompt'],
    ['agent:reviewer#1', 'agent', 'reviewer'],
    ['tool:search#1', 'tool', 'search'],
    ['check:tests#1', 'check', 'tests'],
    ['sleep:a while#1', 'sleep', 'a while'],
    ['ask:tone#1', 'ask', 'tone'],
    ['artifact:log#1', 'artifact', 'log'],
  ]
  for (const type of ['step-started', 'step-finished'] as const) {
    const events = await world.only(run, type)
    expect(events.map(({ step, kind, role }) => [step, kind, role])).toEqual(expected)
  }
})

test('the role of a step must be a valid name', async () => {
  const world = createWorld()
  const loop = loopOf<null>(async (_context, it) => {
    await it.step('plan', () => 'a plan', { role: 'a/b' })
    return null
  })
  const run = await world.start(loop)
  expect(JSON.stringify(await world.finish(run, loop))).toContain(
    'A role of a step cannot be named',
  )
})
