import { describe, expect, test } from 'vitest'
import type { AgentReport, Json } from '../../src/loop/index.ts'
import { createWorld, loopOf, memoryWorkspace } from './fixture.ts'

const report: AgentReport = {
  status: 'done-with-concerns',
  text: 'mostly',
  usage: { tokens: 120, costMicros: 9 },
  turns: 3,
}

describe('an agent', () => {
  test('gets its role, its task and the input of a step, and its report is stored', async () => {
    const given: unknown[] = []
    const world = createWorld({
      agents: {
        async work(role, task, { attempt, spend, signal }) {
          given.push(role, task, attempt, signal.aborted)
          spend(report.usage)
          return report
        },
      },
    })
    const loop = loopOf<unknown>(async (_context, it) =>
      it.agent('maker', { prompt: 'fix it', settings: { model: 'small' } }),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(given).toEqual(['maker', { prompt: 'fix it', settings: { model: 'small' } }, 1, false])
    expect(await world.state(run)).toMatchObject({ progress: report, spent: report.usage })
    const [started] = await world.only(run, 'step-started')
    expect(started).toMatchObject({ kind: 'agent', step: 'agent:maker#1' })
  })

  test('that may change files has them recorded, and one that may not does not', async () => {
    const workspace = memoryWorkspace()
    const world = createWorld({ workspace, agents: { work: async () => report } })
    const loop = loopOf<null>(async (_context, it) => {
      await it.agent('maker', { prompt: 'make' })
      await it.agent('reader', { prompt: 'read' }, { readOnly: true })
      return null
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    const trees = (await world.only(run, 'step-started')).map(({ tree }) => tree !== undefined)
    expect(trees).toEqual([true, false])
  })

  test('that is not configured fails the run, and the message names it', async () => {
    const world = createWorld()
    const loop = loopOf<unknown>(async (_context, it) => it.agent('maker', { prompt: '' }))
    const run = await world.start(loop)
    const end = await world.finish(run, loop)
    expect(JSON.stringify(end)).toContain('requests an agent for the role \\"maker\\"')
  })
})

describe('a tool', () => {
  test('is called once with its arguments, and its result survives', async () => {
    const calls: [string, Json][] = []
    const world = createWorld({
      tools: {
        async call(name, args) {
          calls.push([name, args])
          return { ok: false, output: { matches: 0 } }
        },
      },
    })
    const stop = new AbortController()
    const loop = loopOf<unknown>(async (_context, it) => {
      const result = await it.tool('grep', { pattern: 'x' })
      await it.step('stop', () => stop.abort())
      await it.step('rest', () => undefined)
      return result
    })
    const run = await world.start(loop)
    await world.finish(run, loop, { signal: stop.signal })
    await world.finish(run, loop)
    expect(calls).toEqual([['grep', { pattern: 'x' }]])
    expect((await world.state(run)).progress).toEqual({ ok: false, output: { matches: 0 } })
  })

  test('has the options of a step', async () => {
    let calls = 0
    const world = createWorld({
      tools: {
        async call() {
          calls++
          return calls === 1 ? new Promise(() => undefined) : { ok: true, output: calls }
        },
      },
    })
    const loop = loopOf<unknown>(async (_context, it) =>
      it.tool('slow', null, { timeoutMs: 100, reserve: { tokens: 5, costMicros: 0 } }),
    )
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toEqual({ ok: true, output: 2 })
    expect((await world.state(run)).spent.tokens).toBe(10)
  })
})
