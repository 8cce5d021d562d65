import { describe, expect, test } from 'vitest'
import { createAgentContext } from '../testing/agent-context.ts'
import { scriptedAgent } from './scripted-agent.ts'

const tools = { write: () => 'written' }
const task = { prompt: 'Go.' }

describe('a script', () => {
  test('has a list of turns for each iteration, and the last repeats', async () => {
    const agent = scriptedAgent([
      [{ call: 'write', args: { path: 'a' } }, { say: 'first' }],
      [{ call: 'write', args: { path: 'b' } }, { say: 'then' }],
    ])
    const paths: unknown[] = []
    for (const iteration of [1, 2, 3]) {
      const context = createAgentContext({ tools, iteration })
      const report = await agent.work(task, context)
      paths.push(report.text, ...context.calls.map(({ args }) => args))
    }
    expect(paths).toEqual([
      '(scripted) first',
      { path: 'a' },
      '(scripted) then',
      { path: 'b' },
      '(scripted) then',
      { path: 'b' },
    ])
  })

  test('starts over when the same iteration is resumed', async () => {
    const agent = scriptedAgent([[{ call: 'write' }, { say: 'done' }]])
    for (let entered = 0; entered < 2; entered++) {
      const context = createAgentContext({ tools })
      await agent.work(task, context)
      expect(context.calls).toHaveLength(1)
    }
  })

  test('sends text before a call together with it', async () => {
    const context = createAgentContext({ tools })
    const agent = scriptedAgent([
      [{ say: 'I write.' }, { call: 'write' }, { say: 'STATUS: blocked' }],
    ])
    expect(await agent.work(task, context)).toMatchObject({ status: 'blocked', turns: 2 })
    expect(context.notes[0]).toMatchObject({ type: 'turn-ended', text: 'I write.', calls: 1 })
  })

  test('may be a function', async () => {
    const agent = scriptedAgent(({ turn, prompt }) =>
      turn === 1
        ? { calls: [{ call: 'write' }, { call: 'write', args: { n: 2 } }] }
        : { say: prompt },
    )
    const context = createAgentContext({ tools })
    expect(await agent.work(task, context)).toMatchObject({ text: '(scripted) Go.', turns: 2 })
    expect(context.calls).toHaveLength(2)
  })

  test('spends its usage after reserving it', async () => {
    const usage = { tokens: 500, costMicros: 20 }
    const agent = scriptedAgent([[{ say: 'Dear.', usage }]])
    const context = createAgentContext()
    expect((await agent.work(task, context)).usage).toEqual(usage)
    expect(context.reservations).toEqual([{ worst: usage, spent: usage }])
    const poor = createAgentContext({ limits: { tokens: 499 } })
    await expect(agent.work(task, poor)).rejects.toThrow('tokens limit')
  })

  test('that is empty is refused', () => {
    expect(() => scriptedAgent([])).toThrow('at least one list')
  })
})
