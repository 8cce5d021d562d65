import { describe, expect, test } from 'vitest'
import type { Agents, HookContext, Tools } from '../../src/engine/index.ts'
import { FaultError, type Json, type LoopType, type ToolResult } from '../../src/loop/index.ts'
import { createWorld, loopOf, type WorldOptions } from './fixture.ts'

const done = { status: 'done', text: '', usage: { tokens: 0, costMicros: 0 }, turns: 1 } as const

/** An agent that makes one call and returns its result. */
function calling(name: string, args: Json, results: ToolResult[]): Agents {
  return {
    async work(_role, _task, context) {
      results.push(await context.callTool(name, args))
      return done
    },
  }
}

const asking: LoopType<Json, unknown, unknown, unknown> = loopOf<unknown>(async (_context, it) =>
  it.agent('maker', { prompt: 'go' }),
)

async function story(options: WorldOptions) {
  const world = createWorld(options)
  const run = await world.start(asking)
  const end = await world.finish(run, asking)
  return { world, run, end }
}

describe('a tool that an agent calls', () => {
  test('is noted under the step of the agent and counted in the metrics', async () => {
    const results: ToolResult[] = []
    const tools: Tools = { call: async (_name, args) => ({ ok: true, output: args }) }
    const { world, run } = await story({ tools, agents: calling('grep', { a: 1 }, results) })
    expect(results).toEqual([{ ok: true, output: { a: 1 } }])
    const [noted] = await world.only(run, 'step-noted')
    expect(noted).toMatchObject({
      step: 'agent:maker#1',
      note: { type: 'tool-called', tool: 'grep', args: '{"a":1}', ok: true, outputBytes: 7 },
    })
    const { metrics } = await world.state(run)
    expect(metrics.tools).toEqual({ grep: { calls: 1, failed: 0, ms: 0, outputBytes: 7 } })
  })

  test('that throws is a result for the agent, and the run continues', async () => {
    const results: ToolResult[] = []
    const tools: Tools = {
      call: async () => {
        throw new FaultError({ code: 'boom', message: 'it broke', retryable: false })
      },
    }
    const { end, world, run } = await story({ tools, agents: calling('x', null, results) })
    expect(results).toEqual([{ ok: false, error: 'boom', output: 'it broke' }])
    expect(end).toMatchObject({ type: 'ended', outcome: { type: 'exhausted' } })
    expect((await world.state(run)).metrics.tools['x']).toMatchObject({ calls: 1, failed: 1 })
  })

  test('and that a hook refuses is a result too, and the tool is not called', async () => {
    const results: ToolResult[] = []
    let calls = 0
    const tools: Tools = { call: async () => ({ ok: true, output: ++calls }) }
    const hooks = [
      {
        name: 'guard',
        points: ['before-tool' as const],
        blocking: true,
        run({ step, args }: HookContext) {
          throw new Error(`not ${step} ${JSON.stringify(args)}`)
        },
      },
    ]
    await story({ tools, hooks, agents: calling('run', 'rm', results) })
    expect(results).toEqual([{ ok: false, error: 'refused', output: 'hook "guard": not run "rm"' }])
    expect(calls).toBe(0)
  })

  test('and that does not exist is a result that says so', async () => {
    const results: ToolResult[] = []
    await story({ agents: calling('grep', null, results) })
    expect(results).toEqual([
      { ok: false, error: 'unknown-tool', output: 'There is no tool "grep".' },
    ])
  })
})

describe('an agent', () => {
  test('sees the remaining budget and its tools, and its notes are short and limited', async () => {
    const seen: unknown[] = []
    const tools: Tools = {
      call: async () => ({ ok: true, output: null }),
      list: async () => [{ name: 'a', description: '', parameters: {}, risk: 'read-only' }],
    }
    const { world, run } = await story({
      tools,
      agents: {
        async work(_role, _task, context) {
          seen.push(context.remaining().iterations, (await context.tools()).length)
          for (let n = 0; n < 5010; n++) context.note({ type: 'said', text: 'x'.repeat(1000) })
          return done
        },
      },
    })
    expect(seen).toEqual([50, 1])
    const notes = await world.only(run, 'step-noted')
    expect(notes).toHaveLength(5000)
    expect(notes[0]?.note).toEqual({ type: 'said', text: 'x'.repeat(500) })
  })
})

test('an agent can make a limited number of calls in a step', async () => {
  const last: ToolResult[] = []
  let made = 0
  await story({
    tools: { call: async () => ({ ok: true, output: ++made }) },
    agents: {
      async work(_role, _task, context) {
        for (let n = 0; n < 10_001; n++) last[0] = await context.callTool('x', null)
        return done
      },
    },
  })
  expect(made).toBe(10_000)
  expect(last[0]).toMatchObject({ ok: false, error: 'too-many-calls' })
})

test('on resume, tools are informed of the calls that the loop made before a crash', async () => {
  const told: unknown[] = []
  let crash = true
  const tools: Tools = {
    call: async (name) => ({ ok: true, output: name }),
    replayed: (...call) => void told.push(call),
  }
  const world = createWorld({ tools })
  const stop = new AbortController()
  const loop = loopOf<null>(async (_context, it) => {
    await it.tool('read', { path: 'a' })
    await it.step('middle', ({ signal }) => {
      if (!crash) return
      crash = false
      stop.abort()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    })
    return null
  })
  const run = await world.start(loop)
  const left = await world.finish(run, loop, { signal: stop.signal, graceMs: 0 })
  expect(left.type).toBe('suspended')
  expect(told).toEqual([])
  expect((await world.finish(run, loop)).type).toBe('ended')
  expect(told).toEqual([
    ['read', { path: 'a' }, { ok: true, output: 'read' }, { iteration: 1, workspace: undefined }],
  ])
})

describe('an exchange with a model', () => {
  const exchange = {
    ordinal: 1,
    provider: 'anthropic',
    model: 'claude',
    ended: 'complete',
    spent: { tokens: 12, costMicros: 34 },
    isEstimated: false,
    durationMs: 5,
  }

  test('is stored as content, and noted under the step and the attempt that made it', async () => {
    const agents: Agents = {
      async work(_role, _task, context) {
        expect(context.step).toBe('agent:maker#1')
        await context.keepExchange?.({ ...exchange, content: Buffer.from('asked and answered') })
        return done
      },
    }
    const { world, run } = await story({ agents })
    const [noted] = await world.only(run, 'step-noted')
    expect(noted).toMatchObject({
      step: 'agent:maker#1',
      note: { type: 'exchanged', attempt: 1, ...exchange, bytes: 18 },
    })
    const blob = noted?.note.type === 'exchanged' ? noted.note.blob : undefined
    expect(blob && (await world.blobs.get(blob)).toString()).toBe('asked and answered')
    expect((await world.state(run)).spent).toEqual({ tokens: 0, costMicros: 0 })
  })

  test('that cannot be stored is an error for its caller', async () => {
    const agents: Agents = {
      async work(_role, _task, context) {
        const content = Buffer.from('x')
        const why = await context.keepExchange?.({ ...exchange, content }).catch(String)
        return { ...done, text: String(why) }
      },
    }
    const world = createWorld({ agents })
    const put = async (): Promise<never> => Promise.reject(new Error('the disk is full'))
    const run = await world.start(asking)
    const ports = { ...world.ports, blobs: { ...world.blobs, put } }
    const { driveRun } = await import('../../src/engine/drive-run.ts')
    await driveRun(run, asking, ports, { owner: 'me' })
    const [finished] = await world.only(run, 'step-finished')
    expect(JSON.stringify(finished)).toContain('the disk is full')
  })
})

test('the sandbox that a run was started in is recorded', async () => {
  const world = createWorld({ agents: { work: async () => done } })
  const run = await world.start(asking)
  const sandbox = { tier: 'strong', limits: 'cgroup', attended: true } as const
  await world.drive(run, asking, { sandbox })
  expect((await world.state(run)).sandbox).toEqual(sandbox)
})
