/** The tool `todo` of the tool loop: a model's own list. It affects nothing, so the loop answers it itself. */

import {
  type AgentContext,
  type Json,
  summarizeTodo,
  type ToolDescription,
  type ToolResult,
  toTodoList,
} from '../loop/index.ts'
import { readTodoCall } from './todo-items.ts'

const statuses: Json = ['pending', 'in_progress', 'completed']

export const todoTool: ToolDescription = {
  name: 'todo',
  description:
    'Keeps your todo list for this task; people see it. Each call replaces the whole list. Use it for work of three or more steps.',
  parameters: {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            content: { type: 'string' },
            status: { type: 'string', enum: statuses },
          },
          required: ['content', 'status'],
          additionalProperties: false,
        },
      },
    },
    required: ['todos'],
    additionalProperties: false,
  },
  risk: 'read-only',
}

/** Adds the tool, unless the run has one with this name, or none at all. */
export const withTodoTool = (tools: readonly ToolDescription[]): readonly ToolDescription[] =>
  tools.length === 0 || tools.some(({ name }) => name === todoTool.name)
    ? tools
    : [...tools, todoTool]

export function callTodo(args: Json, { note }: Pick<AgentContext, 'note'>): ToolResult {
  const items = readTodoCall('todowrite', args)
  if (items === undefined) {
    const output = 'todos must be a list of objects with content and status.'
    return { ok: false, error: 'bad-arguments', output }
  }
  const list = toTodoList(items)
  note({ type: 'todo', ...list })
  return { ok: true, output: summarizeTodo(list) }
}
