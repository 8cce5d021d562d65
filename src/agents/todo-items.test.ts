import { describe, expect, test } from 'vitest'
import { createAgentContext } from '../testing/agent-context.ts'
import type { LineReader, ProgramEvent } from './programs/agent-program.ts'
import { claudeReader } from './programs/claude-reader.ts'
import { codexReader } from './programs/codex-reader.ts'
import { geminiReader } from './programs/gemini-reader.ts'
import { opencodeReader } from './programs/opencode-reader.ts'
import { createProgramNotes } from './programs/program-notes.ts'
import { readTodoCall } from './todo-items.ts'

const read = (reader: LineReader, ...events: readonly object[]): readonly ProgramEvent[] =>
  events.flatMap((event) => reader.read(JSON.stringify(event)))

const todoOf = (events: readonly ProgramEvent[]) =>
  events.flatMap((event) => (event.type === 'todo' ? [event.items] : []))

const list = [
  { text: 'Read', status: 'done' },
  { text: 'Write', status: 'doing' },
  { text: 'Test', status: 'open' },
]

const todos = [
  { content: 'Read', status: 'completed', activeForm: 'Reading' },
  { content: 'Write', status: 'in_progress', activeForm: 'Writing' },
  { content: 'Test', status: 'pending', activeForm: 'Testing' },
]

const claudeCall = (name: string, id: string, input: object) => ({
  type: 'assistant',
  message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name, input }] },
})
const claudeResult = (id: string, content: unknown) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content }] },
})

describe('the todo list of an agent is read from the output of', () => {
  test('claude with TodoWrite, but not that of its sub-agents', () => {
    expect(todoOf(read(claudeReader(), claudeCall('TodoWrite', '1', { todos })))).toEqual([list])
    const inner = { ...claudeCall('TodoWrite', '1', { todos }), parent_tool_use_id: 'a' }
    expect(todoOf(read(claudeReader(), inner))).toEqual([])
  })

  test('claude with tasks', () => {
    const events = read(
      claudeReader(),
      claudeCall('TaskCreate', 'a', { subject: 'Read' }),
      claudeCall('TaskCreate', 'b', { subject: 'Write' }),
      claudeResult('b', [{ type: 'text', text: 'Task #2 created successfully: Write' }]),
      claudeResult('a', 'Task #1 created successfully: Read'),
      claudeCall('TaskUpdate', 'c', { taskId: '2', status: 'in_progress' }),
      claudeCall('TaskUpdate', 'd', { taskId: '1', status: 'deleted' }),
      claudeCall('TaskUpdate', 'e', { taskId: '9', status: 'completed' }),
    )
    expect(todoOf(events).at(-1)).toEqual([{ text: 'Write', status: 'doing' }])
    expect(todoOf(events)).toHaveLength(4)
  })

  test('codex', () => {
    const items = [
      { text: 'Read', completed: true },
      { text: 'Write', completed: false },
    ]
    const item = { id: 'i', type: 'todo_list', items }
    const types = ['item.started', 'item.updated', 'item.completed']
    const events = read(codexReader(), ...types.map((type) => ({ type, item })))
    const expected = [
      { text: 'Read', status: 'done' },
      { text: 'Write', status: 'open' },
    ]
    expect(events).toEqual(types.map(() => ({ type: 'todo', items: expected })))
  })

  test('opencode and gemini', () => {
    const part = { tool: 'todowrite', state: { status: 'completed', input: { todos } } }
    expect(todoOf(read(opencodeReader(), { type: 'tool_use', part }))).toEqual([list])
    const described = todos.map(({ content, status }) => ({ description: content, status }))
    const call = { type: 'tool_use', tool_name: 'write_todos', parameters: { todos: described } }
    expect(todoOf(read(geminiReader(), call))).toEqual([list])
  })
})

test('a list in any other form is not one', () => {
  for (const args of [null, 7, { todos: 'x' }, { todos: { 0: 'a' } }, {}]) {
    expect(readTodoCall('TodoWrite', args)).toBeUndefined()
  }
  expect(readTodoCall('__proto__', { todos })).toBeUndefined()
  const odd = [
    null,
    7,
    { content: 7 },
    { content: 'a', status: 9 },
    { content: 'b', status: 'cancelled' },
  ]
  expect(readTodoCall('TodoWrite', { todos: odd })).toEqual([{ text: 'a', status: 'open' }])
})

test('notes have each list once, in limited number and size, without secrets', () => {
  const context = createAgentContext()
  const notes = createProgramNotes(context.note, (text) => text.replaceAll('s3cret', '[redacted]'))
  const report = (text: string, count = 1) =>
    notes.report({
      type: 'todo',
      items: Array.from({ length: count }, () => ({ text, status: 'open' as const })),
    })
  report('keep s3cret')
  report('keep s3cret')
  expect(context.notes).toEqual([
    { type: 'todo', items: [{ text: 'keep [redacted]', status: 'open' }], total: 1, done: 0 },
  ])
  report('x'.repeat(100_000), 900)
  const [, long] = context.notes
  expect(long).toMatchObject({ type: 'todo', total: 900 })
  expect(JSON.stringify(long).length).toBeLessThan(13_000)
  for (let index = 0; index < 1000; index++) report(`${index}`)
  expect(context.notes).toHaveLength(200)
})
