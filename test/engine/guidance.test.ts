// What people tell a run: it reaches a working agent, or the context of the next iteration, and is not lost in a crash.

import { expect, test } from 'vitest'
import type { Agents } from '../../src/engine/index.ts'
import type { AgentReport, Guidance, RunId } from '../../src/loop/index.ts'
import { createWorld, deferred, loopOf, until, type World } from './fixture.ts'

const report: AgentReport = {
  status: 'done',
  text: 'Done.',
  usage: { tokens: 0, costMicros: 0 },
  turns: 1,
}
const rename = { type: 'tell', text: 'Keep the old name.' } as const
const texts = (told: readonly Guidance[]): readonly string[] => told.map(({ text }) => text)

/** Two iterations: the prompt of each is what it was told. */
const prompting = loopOf<string>(
  async (_previous, it) => {
    const told = texts(await it.guidance())
    await it.agent('maker', { prompt: told.join() })
    return `${it.number}: ${told.join()}`
  },
  { until: [{ type: 'max-iterations', iterations: 2 }] },
)

const tell = (world: World, run: RunId, text: string = rename.text): Promise<void> =>
  world.decide(run, { ...rename, text })

test('an agent that can take it gets it while it works, and the next iteration does not', async () => {
  const heard: string[][] = []
  const agents: Agents = {
    async work(_role, _task, { guidance, iteration }) {
      if (iteration === 1) {
        await tell(world, run)
        await until(() => (guidance?.waiting ?? 0) > 0)
      }
      heard.push([...texts((await guidance?.take()) ?? [])])
      return report
    },
  }
  const world = createWorld({ agents })
  const run = await world.start(prompting)
  await world.finish(run, prompting)
  expect(heard).toEqual([['Keep the old name.'], []])
  const [delivered, ...others] = await world.only(run, 'guidance-delivered')
  expect(delivered).toMatchObject({ iteration: 1, step: 'agent:maker#1', ids: [1] })
  expect(others).toEqual([])
  expect((await world.state(run)).guidance).toEqual([])
})

test('otherwise the next iteration has it in its context', async () => {
  const prompts: string[] = []
  const agents: Agents = {
    async work(_role, { prompt }, { iteration }) {
      prompts.push(prompt)
      if (iteration === 1) await tell(world, run)
      return report
    },
  }
  const world = createWorld({ agents })
  const run = await world.start(prompting)
  await world.finish(run, prompting)
  expect(prompts).toEqual(['', 'Keep the old name.'])
  expect(
    (await world.only(run, 'guidance-delivered')).map(({ iteration, step }) => [iteration, step]),
  ).toEqual([[2, undefined]])
})

test('an agent that may only read does not take it', async () => {
  const agents: Agents = {
    work: async (_role, _task, { guidance }) => ({ ...report, text: String(guidance?.waiting) }),
  }
  const reading = loopOf<string>(async (_previous, it) => {
    const { text } = await it.agent('checker', { prompt: '' }, { readOnly: true })
    return text
  })
  const world = createWorld({ agents })
  const run = await world.start(reading)
  await tell(world, run)
  await world.finish(run, reading)
  expect((await world.state(run)).progress).toBe('undefined')
  expect((await world.state(run)).guidance).toMatchObject([{ text: 'Keep the old name.' }])
})

test('E2: a step that is repeated after an interruption gets it again', async () => {
  const heard: string[][] = []
  const stop = new AbortController()
  const agents: Agents = {
    async work(_role, _task, { guidance, signal }) {
      heard.push([...texts((await guidance?.take()) ?? [])])
      if (heard.length > 1) return report
      stop.abort()
      await deferred().promise.catch(() => undefined)
      signal.throwIfAborted()
      return report
    },
  }
  const world = createWorld({ agents })
  const once = loopOf<string>(
    async (_previous, it) => (await it.agent('maker', { prompt: '' })).text,
  )
  const run = await world.start(once)
  await tell(world, run)
  const suspended = await world.clock.pass(
    world.drive(run, once, { signal: stop.signal, graceMs: 0 }),
  )
  expect(suspended.type).toBe('suspended')
  expect((await world.state(run)).guidance).toHaveLength(1)
  await world.finish(run, once)
  expect(heard).toEqual([['Keep the old name.'], ['Keep the old name.']])
  expect((await world.state(run)).guidance).toEqual([])
})

test('E2: an iteration that is continued sees the same, whatever was said since', async () => {
  const seen: string[] = []
  let isFirst = true
  const stop = new AbortController()
  const loop = loopOf<string>(async (_previous, it) => {
    seen.push(texts(await it.guidance()).join())
    await it.step('work', async ({ signal }) => {
      if (!isFirst) return null
      isFirst = false
      stop.abort()
      await until(() => signal.aborted)
      throw signal.reason
    })
    return seen.join(' | ')
  })
  const world = createWorld()
  const run = await world.start(loop)
  await tell(world, run, 'first')
  await world.clock.pass(world.drive(run, loop, { signal: stop.signal, graceMs: 0 }))
  await tell(world, run, 'second')
  await world.finish(run, loop)
  expect(seen).toEqual(['first', 'first'])
  expect((await world.state(run)).guidance).toMatchObject([{ text: 'second' }])
})

test('what a person responds to a question reaches the next context; a comment names the files it is about', async () => {
  const asking = loopOf<string>(
    async (_previous, it) => {
      const told = texts(await it.guidance())
      if (it.number > 1) return told.join()
      const { answer, kind, text } = await it.ask('deploy', {
        text: 'Deploy?',
        options: ['yes', 'no'],
        default: 'no',
        kinds: { accept: 'yes', reject: 'no', respond: 'no' },
      })
      return [answer, kind, text].join()
    },
    { until: [{ type: 'max-iterations', iterations: 2 }] },
  )
  const world = createWorld()
  const run = await world.start(asking)
  await world.decide(run, {
    type: 'answer',
    question: '1/ask:deploy#1',
    answer: 'no',
    kind: 'respond',
    text: 'Run the tests first.',
  })
  await world.finish(run, asking)
  expect((await world.state(run)).progress).toBe('Run the tests first.')
})
