import { expect, test } from 'vitest'
import { z } from 'zod'
import { maskDeep } from '../system/mask.ts'
import { createAgentContext } from '../testing/index.ts'
import { type Tool, ToolError, type ToolRunContext } from '../tools/index.ts'
import { maskedTools } from './mask-tools.ts'

const mask = (text: string): string => text.replaceAll('hush', '****')
const context: ToolRunContext = { ...createAgentContext(), signal: new AbortController().signal }

test('all strings in some data are masked, and nothing else', () => {
  expect(maskDeep(mask, { a: ['hush', 1, null, { b: 'say hush' }], hush: true })).toEqual({
    a: ['****', 1, null, { b: 'say ****' }],
    hush: true,
  })
})

const tool = (run: Tool['run'], parameters: Tool['parameters'] = { type: 'object' }): Tool => ({
  name: 'say',
  description: 'Says hush.',
  parameters,
  risk: 'network',
  run,
})

test('a tool reveals no secret: not in its description, its results or its errors', async () => {
  const schema = { type: 'object', description: 'hush' }
  const runs: readonly Tool['run'][] = [
    () => ({ text: 'hush' }),
    () => Promise.reject(new ToolError('odd', 'hush')),
    () => Promise.reject(new Error('hush')),
  ]
  const tools = maskedTools(
    runs.map((run) => tool(run, schema)),
    mask,
  )
  expect(tools[0]).toMatchObject({
    description: 'Says ****.',
    parameters: { description: '****' },
  })
  const ends = await Promise.allSettled(tools.map(async (one) => one.run({}, context)))
  expect(ends).toMatchObject([
    { value: { text: '****' } },
    { reason: { code: 'odd', message: '****' } },
    { reason: { message: '****' } },
  ])
})

test('a schema that is code stays unchanged', () => {
  const parameters = z.object({ a: z.string().describe('hush') })
  const [one] = maskedTools([tool(() => 'ok', parameters)], mask)
  expect(one?.parameters).toBe(parameters)
})
