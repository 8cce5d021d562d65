// Runs whose agent is a model: the real client of a provider, a scripted server, the real engine.

import { afterEach, describe, expect, test } from 'vitest'
import { createAgents, resolveModel, scriptedAgent } from '../../src/agents/index.ts'
import { type ModelAgentOptions, modelAgent } from '../../src/agents/model-agent.ts'
import type { Check, Tools } from '../../src/engine/index.ts'
import type { AgentReport, Limits } from '../../src/loop/index.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../src/testing/model-server.ts'
import { createWorld, loopOf, until, type World } from '../engine/fixture.ts'

let server: ModelServer
afterEach(() => server.close())

/** A file in memory that the agent writes and the check reads. */
function createNote(): { readonly tools: Tools; readonly checks: Readonly<Record<string, Check>> } {
  let text = ''
  const tools: Tools = {
    async list() {
      const parameters = { type: 'object', properties: { text: { type: 'string' } } }
      return [{ name: 'write', description: 'Writes the note.', parameters, risk: 'idempotent' }]
    },
    async call(_name, args) {
      text = (args as { readonly text: string }).text
      return { ok: true, output: 'written' }
    },
  }
  const right: Check = async () => ({ status: text === 'right' ? 'met' : 'not-met', output: text })
  return { tools, checks: { right } }
}

interface Story {
  readonly world: World
  readonly loop: ReturnType<typeof writingLoop>
}

/** Until the check, which the engine runs, finds the right word. */
const writingLoop = () =>
  loopOf<AgentReport>(
    async (_context, it) => {
      const report = await it.agent('maker', { prompt: `Write "right". This is try ${it.number}.` })
      await it.check()
      return report
    },
    { until: [{ type: 'checks-pass' }] },
  )

async function createStory(
  script: ModelScript,
  options: Partial<ModelAgentOptions> = {},
): Promise<Story> {
  server = await startModelServer(script)
  const env = { ANTHROPIC_API_KEY: 'sk-secret-0123456789' }
  const resolved = await resolveModel('anthropic/claude-sonnet-5', { baseUrl: server.url, env })
  // The world and the agent share one clock from the start.
  const clock = createManualClock()
  const agents = createAgents({ maker: modelAgent({ ...resolved, clock, ...options }) })
  const world = createWorld({ clock, agents, ...createNote() })
  return { world: { ...world, clock }, loop: writingLoop() }
}

const write = (text: string) => ({ calls: [{ name: 'write', args: { text } }] })

async function run({ world, loop }: Story, limits: Partial<Limits> = {}) {
  const id = await world.start(loop, { limits })
  const end = await world.clock.pass(world.drive(id, loop))
  return { id, end, state: await world.state(id) }
}

describe('a run with a model', () => {
  test('ends when the check that the engine ran passes, not when the model says so', async () => {
    const story = await createStory([
      write('wrong'),
      { text: 'All done!' },
      write('right'),
      { text: 'Now it is.' },
    ])
    const { id, end, state } = await run(story)
    expect(end).toMatchObject({ type: 'ended', outcome: { type: 'completed' } })
    expect(state.iteration).toBe(2)
    expect(state.metrics.tools['write']).toMatchObject({ calls: 2, failed: 0 })
    const costMicros = 4 * (100 * 2 + 20 * 10)
    expect(state.spent).toEqual({ tokens: 480, costMicros, outputTokens: 80 })
    expect(state.reserved).toEqual({})
    const notes = (await story.world.only(id, 'step-noted')).map(({ note }) => note.type)
    expect(notes.filter((type) => type === 'turn-ended')).toHaveLength(4)
  })

  test('is ended by its budget before the call that might exceed it', async () => {
    const story = await createStory([{ ...write('wrong'), usage: { input: 5000, output: 1000 } }])
    const { end, state } = await run(story, { tokens: 30_000 })
    expect(end).toMatchObject({ type: 'ended', outcome: { type: 'exhausted' } })
    expect(state.spent.tokens).toBeGreaterThan(15_000)
    expect(state.spent.tokens).toBeLessThanOrEqual(30_000)
  })

  test('waits for a long window without counting the iteration, then continues', async () => {
    const limited = { status: 429, headers: { 'retry-after': '1800' } }
    const story = await createStory([limited, write('right'), { text: 'Done.' }])
    const beganMs = story.world.clock.now()
    const { end, state } = await run(story)
    expect(end).toMatchObject({ type: 'ended', outcome: { type: 'completed' } })
    expect(state.iteration).toBe(1)
    expect(story.world.clock.now() - beganMs).toBeGreaterThanOrEqual(1_800_000)
  })

  test('is ended at once by a key that is not accepted, and the key appears nowhere', async () => {
    const message = 'invalid x-api-key sk-secret-0123456789'
    const story = await createStory([{ status: 401, message }])
    const { id, end } = await run(story)
    expect(end).toMatchObject({ type: 'ended', outcome: { type: 'failed' } })
    const record = JSON.stringify(await story.world.events(id))
    expect(record).toContain('ANTHROPIC_API_KEY')
    expect(record).not.toContain('sk-secret')
    expect(server.requests).toHaveLength(1)
  })

  test('is cancelled in the middle of a response; what it may have cost is charged', async () => {
    const story = await createStory([{ does: 'hang' }])
    const { world, loop } = story
    const id = await world.start(loop)
    const driving = world.drive(id, loop)
    await until(() => server.requests.length > 0)
    await world.decide(id, { type: 'cancel', reason: 'enough' })
    const end = await world.clock.pass(driving)
    expect(end).toMatchObject({ type: 'ended', outcome: { type: 'cancelled' } })
    const { spent, reserved } = await world.state(id)
    expect(spent.tokens).toBeGreaterThan(0)
    expect(spent.tokens).toBeLessThan(16_384)
    expect(reserved).toEqual({})
  })
})

test('an agent that is stuck fails its report; the next iteration is a new attempt', async () => {
  server = await startModelServer([{ text: 'not asked' }])
  const agent = scriptedAgent([
    Array.from({ length: 20 }, () => ({ call: 'write', args: { text: 'wrong' } })),
    [{ call: 'write', args: { text: 'right' } }, { say: 'Done.' }],
  ])
  const world = createWorld({ agents: createAgents({ maker: agent }), ...createNote() })
  const loop = writingLoop()
  const id = await world.start(loop)
  const end = await world.finish(id, loop)
  expect(end).toMatchObject({ type: 'ended', outcome: { type: 'completed' } })
  const reports = (await world.only(id, 'step-finished'))
    .filter(({ step }) => step.startsWith('agent:'))
    .map(({ result }) => JSON.stringify(result))
  expect(reports[0]).toContain('"status":"failed"')
  expect(reports[0]).toContain('6 times')
  expect(reports[1]).toContain('(scripted) Done.')
  const notes = await world.only(id, 'step-noted')
  expect(notes.some((noted) => noted.note.type === 'nudged')).toBe(true)
})
