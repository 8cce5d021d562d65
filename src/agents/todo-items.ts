/** Reads todo lists as agents report them: each program has its own names for the same fields. */

import { type TodoItem } from '../loop/index.ts'
import { at, listAt, textAt } from './programs/event-line.ts'

/** More than this is neither read nor kept. */
const itemsMax = 1000

const statuses: Readonly<Record<string, TodoItem['status'] | undefined>> = {
  pending: 'open',
  in_progress: 'doing',
  completed: 'done',
}

const textFields = ['content', 'text', 'description', 'step'] as const

/** Claude, opencode and ACP: `content`, `status`. Gemini: `description`. Codex: `text`, `completed`; `step`. */
export function readTodoItems(entries: readonly unknown[]): readonly TodoItem[] {
  return entries.slice(0, itemsMax).flatMap((entry): readonly TodoItem[] => {
    const text = textFields.map((name) => textAt(entry, name)).find((one) => one !== undefined)
    const status = textAt(entry, 'status') ?? ''
    if (text === undefined || status === 'cancelled' || status === 'deleted') return []
    const isDone = at(entry, 'completed') === true
    return [{ text, status: isDone ? 'done' : (statuses[status] ?? 'open') }]
  })
}

/** The tools that replace the list of an agent, in lower case, and the field of their arguments that has it. */
const listTools: Readonly<Record<string, string | undefined>> = {
  todowrite: 'todos',
  write_todos: 'todos',
  update_plan: 'plan',
}

/** The list that a tool call replaces. Undefined: it is another tool. */
export function readTodoCall(tool: string, args: unknown): readonly TodoItem[] | undefined {
  const name = tool.toLowerCase()
  const field = Object.hasOwn(listTools, name) ? listTools[name] : undefined
  if (field === undefined || !Array.isArray(at(args, field))) return undefined
  return readTodoItems(listAt(args, field))
}
