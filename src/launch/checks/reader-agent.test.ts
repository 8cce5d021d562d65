import { describe, expect, test } from 'vitest'
import type { Agent } from '../../agents/index.ts'
import { createAgentContext } from '../../testing/index.ts'
import { readerAgent } from './reader-agent.ts'

const report = { status: 'done', text: '', usage: { tokens: 0, costMicros: 0 }, turns: 1 } as const
const tools = { read: () => 'text', write: () => 'written', files__read: () => 'x' }

describe('a read-only agent', () => {
  test('sees and calls only tools that read', async () => {
    const context = createAgentContext({ tools })
    const seen: unknown[] = []
    const agent: Agent = {
      async work(_task, given) {
        seen.push((await given.tools()).map(({ name }) => name))
        for (const name of ['read', 'write', 'files__read']) {
          seen.push((await given.callTool(name, {})).ok)
        }
        return report
      },
    }
    await readerAgent(agent, 60_000).work({ prompt: '' }, context)
    expect(seen).toEqual([['read'], true, false, false])
    expect(context.calls.map(({ name }) => name)).toEqual(['read'])
  })

  test('is stopped at its limit, which is a separate fault', async () => {
    const agent: Agent = {
      work: (_task, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')))
        }),
    }
    const work = readerAgent(agent, 1).work({ prompt: '' }, createAgentContext({}))
    await expect(work).rejects.toMatchObject({ fault: { code: 'timeout', retryable: false } })
  })
})
