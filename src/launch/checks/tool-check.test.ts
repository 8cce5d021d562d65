import { describe, expect, test } from 'vitest'
import type { CheckContext } from '../../engine/index.ts'
import type { Json, ToolResult } from '../../loop/index.ts'
import type { ToolCheckSettings } from '../../protocol/index.ts'
import { toolCheck } from './tool-check.ts'

const settings: ToolCheckSettings = {
  type: 'tool',
  tool: 'bugs__count',
  args: { state: 'open' },
  timeoutMs: 60_000,
  existing: 'fix',
  outputs: [],
}

function contextOf(callTool: CheckContext['callTool']): CheckContext {
  return {
    workspace: undefined,
    iteration: 1,
    signal: new AbortController().signal,
    attempt: 1,
    spend: () => undefined,
    reserve: async () => ({ settle: async () => undefined }),
    work: () => Promise.reject(new Error('nobody works')),
    callTool,
  }
}

const statusOf = async (result: ToolResult, expected?: Json): Promise<string> => {
  const check = toolCheck(expected === undefined ? settings : { ...settings, expect: expected })
  return (await check(contextOf(async () => result))).status
}

describe('a tool as a check', () => {
  test('is met if the call succeeds, and is called with its arguments', async () => {
    const calls: unknown[] = []
    const answer = await toolCheck(settings)(
      contextOf(async (name, args) => {
        calls.push([name, args])
        return { ok: true, output: 'none' }
      }),
    )
    expect(answer).toEqual({ kind: 'tool', status: 'met', output: 'none' })
    expect(calls).toEqual([['bugs__count', { state: 'open' }]])
  })

  test.each<[string, ToolResult, Json | undefined, string]>([
    ['it fails', { ok: false, error: 'tool-failed', output: 'no' }, undefined, 'not-met'],
    ['it is unknown', { ok: false, error: 'unknown-tool', output: '' }, undefined, 'error'],
    [
      'its arguments are invalid',
      { ok: false, error: 'bad-arguments', output: '' },
      undefined,
      'error',
    ],
    ['it takes too long', { ok: false, error: 'timeout', output: '' }, undefined, 'timeout'],
    [
      'it returns what is expected',
      { ok: true, output: { a: 1, b: [2] } },
      { b: [2], a: 1 },
      'met',
    ],
    ['it returns it as text', { ok: true, output: '{"a":1}' }, { a: 1 }, 'met'],
    ['it returns that text', { ok: true, output: 'ok' }, 'ok', 'met'],
    ['it returns something else', { ok: true, output: { a: 2 } }, { a: 1 }, 'not-met'],
    ['it returns more', { ok: true, output: { a: 1, b: 2 } }, { a: 1 }, 'not-met'],
    ['it fails with what is expected', { ok: false, error: 'x', output: 1 }, 1, 'not-met'],
  ])('answers when %s', async (_what, result, expected, status) => {
    expect(await statusOf(result, expected)).toBe(status)
  })

  test('ends at its limit even if the call does not', async () => {
    const check = toolCheck({ ...settings, timeoutMs: 1 })
    const { status, output } = await check(contextOf(() => new Promise(() => undefined)))
    expect(status).toBe('timeout')
    expect(output).toContain('1 ms')
  })
})
