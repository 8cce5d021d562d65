import { expect, test } from 'vitest'
import type { Json } from '../loop/index.ts'
import { createAgentContext } from '../testing/agent-context.ts'
import type { ChatModel, ChatRequest } from './conversation.ts'
import { runToolLoop } from './tool-loop.ts'

const todos = [
  { content: 'Read', status: 'completed' },
  { content: 'Write', status: 'in_progress' },
]

/** Calls the tool with each of these arguments, then reports. */
function createFakeModel(...calls: readonly Json[]): ChatModel & { readonly asked: ChatRequest[] } {
  const asked: ChatRequest[] = []
  return {
    asked,
    async answer(ask) {
      asked.push({ ...ask, messages: [...ask.messages] })
      const args = calls[asked.length - 1]
      const usage = { tokens: 1, costMicros: 1 }
      return args === undefined
        ? { text: 'Done.', calls: [], stop: 'end', usage }
        : {
            text: '',
            calls: [{ id: `c${asked.length}`, name: 'todo', args }],
            stop: 'calls',
            usage,
          }
    },
  }
}

test('the todo list is a tool of the loop itself, and a note', async () => {
  const context = createAgentContext({ tools: { read: () => 'text' } })
  const chatModel = createFakeModel({ todos }, {})
  await runToolLoop({ chatModel }, { prompt: 'Go.' }, context)
  expect(chatModel.asked[0]?.tools.map(({ name }) => name)).toEqual(['read', 'todo'])
  const results = chatModel.asked[2]?.messages.flatMap((one) =>
    one.role === 'results' ? one.results.map(({ ok, text }) => [ok, text]) : [],
  )
  expect(results).toEqual([
    [true, '1 of 2 done; now: Write'],
    [false, expect.stringContaining('bad-arguments')],
  ])
  const notes = context.notes.filter(({ type }) => type === 'todo')
  expect(notes).toMatchObject([{ total: 2, done: 1 }])
})

test('the tool gives way to one of the run with its name, and is not offered without tools', async () => {
  const own = createAgentContext({ tools: { todo: () => 'mine' } })
  const chatModel = createFakeModel({ todos })
  await runToolLoop({ chatModel }, { prompt: 'Go.' }, own)
  expect(chatModel.asked[1]?.messages.at(-1)).toMatchObject({ results: [{ text: 'mine' }] })
  expect(own.notes.some(({ type }) => type === 'todo')).toBe(false)
  const bare = createFakeModel()
  await runToolLoop({ chatModel: bare }, { prompt: 'Go.' }, createAgentContext())
  expect(bare.asked[0]?.tools).toEqual([])
})
