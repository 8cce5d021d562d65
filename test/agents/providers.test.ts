// What an agent does the same way with every provider, through the real clients, over loopback.

import { describe, expect, test } from 'vitest'
import { createAgentContext } from '../../src/testing/agent-context.ts'
import { add, createModelWorker, done, faultOf, ids, key } from './model-fixture.ts'

describe.each(ids)('%s', (id) => {
  test.each([true, false])('calls a tool and reports, streamed: %s', async (stream) => {
    await using agent = await createModelWorker(
      id,
      [
        { text: 'I add.', ...add(1), usage: { input: 900, output: 30 } },
        { text: 'It is 2.', usage: { input: 1000, output: 10, cacheRead: 500 } },
      ],
      { stream },
    )
    const context = createAgentContext({ tools: { add: () => 'two' } })
    const report = await agent.work(context)
    expect(report).toMatchObject({ status: 'done', text: 'It is 2.', turns: 2 })
    expect(report.usage.tokens).toBe(1940)
    expect(context.spent).toEqual(report.usage)
    expect(context.calls).toEqual([{ name: 'add', args: { a: 1 } }])
    expect(agent.server.requests.map((request) => [request.tools, request.streamed])).toEqual([
      [['add', 'todo'], stream],
      [['add', 'todo'], stream],
    ])
    expect(agent.bodies()[1]).toContain('two')
  })

  test('retries after a failure, a broken connection and an invalid response', async () => {
    await using agent = await createModelWorker(id, [
      { status: 500 },
      { does: 'cut' },
      { does: 'garbage' },
      done,
    ])
    const context = createAgentContext()
    expect(await agent.work(context)).toMatchObject({ status: 'done', turns: 1 })
    expect(agent.server.requests).toHaveLength(4)
    expect(context.reservations.every(({ spent }) => spent !== undefined)).toBe(true)
  })

  test('reports a refusal and a response that was cut off', async () => {
    await using agent = await createModelWorker(id, [
      { text: 'The first', stop: 'length' },
      { text: ' half.' },
    ])
    expect((await agent.work()).text).toBe('The first half.')
    await using refusing = await createModelWorker(id, [{ text: 'No.', stop: 'refused' }])
    expect(await refusing.work()).toMatchObject({ status: 'failed' })
  })

  test('does not offer its tools in the last turn', async () => {
    await using agent = await createModelWorker(id, [add(1), { text: 'So far.' }], { turnsMax: 2 })
    const report = await agent.work(createAgentContext({ tools: { add: () => 'ok' } }))
    expect(report).toMatchObject({ status: 'done-with-concerns', turns: 2 })
    expect(agent.bodies()[0]).not.toContain('last turn')
    expect(agent.bodies()[1]).toContain('last turn')
    expect(agent.bodies()[1]).toMatch(/"none"|NONE/i)
  })

  test('is informed if its key is not accepted, and the key is not shown', async () => {
    await using agent = await createModelWorker(id, [{ status: 401, message: `bad key ${key}` }])
    const context = createAgentContext()
    const fault = await faultOf(agent.work(context))
    expect(fault).toMatchObject({ code: 'provider-denied', fatal: true })
    expect(fault.message).toMatch(/_API_KEY|LOCAL_KEY/)
    expect(JSON.stringify([fault, context.notes])).not.toContain(key)
    expect(context.spent).toEqual({ tokens: 0, costMicros: 0 })
  })

  test('is stopped at once with the run, and its call is settled', async () => {
    await using agent = await createModelWorker(id, [{ does: 'hang' }])
    const stop = new AbortController()
    const context = createAgentContext({ signal: stop.signal })
    const working = agent.work(context)
    while (agent.server.requests.length === 0) await agent.clock.settle()
    stop.abort(new Error('cancelled by a person'))
    await expect(working).rejects.toThrow('cancelled by a person')
    expect(context.reservations).toHaveLength(1)
    expect(context.spent.tokens).toBeGreaterThan(0)
  })
})
