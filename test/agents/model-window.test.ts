// The model's window is never exceeded, and everything before the end stays the same.

import { describe, expect, test } from 'vitest'
import { createAgentContext } from '../../src/testing/agent-context.ts'
import { add, anthropic, createModelWorker, done, faultOf } from './model-fixture.ts'

describe('window', () => {
  const long = 'word '.repeat(2000)

  test('is never exceeded: old results are cut first, and the cut is noted', async () => {
    const windowTokens = 20_000
    const sizes: number[] = []
    await using agent = await createModelWorker(
      anthropic,
      ({ body }, number) => {
        sizes.push(JSON.stringify(body).length)
        return number <= 12 ? add(number) : done
      },
      { windowTokens, maxOutputTokens: 1000 },
    )
    const context = createAgentContext({ tools: { add: () => long } })
    const report = await agent.work(context, 'Remember the mongoose.')
    expect(report).toMatchObject({ status: 'done', turns: 13 })
    // Five characters are a token here.
    expect(Math.max(...sizes) / 5 + 1000).toBeLessThan(windowTokens)
    const cuts = context.notes.filter((note) => note.type === 'context-cut').length
    expect(cuts).toBeGreaterThan(0)
    // A cut lasts for several turns, so that the start stays the same.
    expect(cuts).toBeLessThan(6)
    expect(agent.bodies().every((body) => body.includes('Remember the mongoose.'))).toBe(true)
    expect(agent.bodies().at(-1)).toContain('cut to make room')
  })

  test('is cut once more if the provider counts more than was estimated', async () => {
    const tooLong = { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' }
    await using agent = await createModelWorker(anthropic, [add(1), add(2), add(3), tooLong, done])
    const context = createAgentContext({ tools: { add: () => long } })
    expect(await agent.work(context)).toMatchObject({ status: 'done', turns: 4 })
    const [, , , refused = '', taken = ''] = agent.bodies()
    expect(taken.length).toBeLessThan(refused.length / 2)
  })

  test('is a fault if no cut helps', async () => {
    const tooLong = { status: 400, message: 'This model has a maximum context length of 8 tokens' }
    await using agent = await createModelWorker(anthropic, [tooLong])
    expect(await faultOf(agent.work())).toMatchObject({ code: 'context-too-long' })
    expect(agent.server.requests.length).toBeLessThanOrEqual(2)
  })

  test('is a fault before any call if not even the prompt can be made to fit', async () => {
    await using agent = await createModelWorker(anthropic, [done], { windowTokens: 200 })
    expect(await faultOf(agent.work())).toMatchObject({ code: 'context-too-long' })
    expect(agent.server.requests).toHaveLength(0)
  })
})

test('what changes each turn comes last, and the cache covers everything before it', async () => {
  await using agent = await createModelWorker(anthropic, [add(1), add(2), done])
  await agent.work(createAgentContext({ tools: { add: () => 'ok' } }))
  const messages = (at: number): readonly unknown[] =>
    agent.server.requests[at]?.body['messages'] as readonly unknown[]
  const [second, third] = [JSON.stringify(messages(1)), JSON.stringify(messages(2))]
  expect(second).toMatch(/Left: 49 turns, [\d,]+ tokens, \$\d\.\d\d, 480 min\."\}\]\}\]$/)
  expect(third).toContain('Left: 48 turns')
  expect(third).not.toContain('Left: 49 turns')
  expect(second).toContain('"cache_control":{"type":"ephemeral"}')
})
