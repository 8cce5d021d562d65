/**
 * The todo list of Claude Code. `TodoWrite` replaces all of it; newer versions have `TaskCreate`, whose result has the
 * number of the task, and `TaskUpdate`.
 */

import type { TodoItem } from '../../loop/index.ts'
import { readTodoCall, readTodoItems } from '../todo-items.ts'
import { textAt } from './event-line.ts'

export interface ClaudeTodo {
  /** A call began. Returns the list if it changed. */
  called(tool: string, input: unknown, call: string | undefined): readonly TodoItem[] | undefined
  /** A call ended. Returns the list if it changed. */
  ended(call: string, ok: boolean, result: string): readonly TodoItem[] | undefined
}

/** Later ones are not followed. */
const tasksMax = 200

export function createClaudeTodo(): ClaudeTodo {
  /** By number. */
  const tasks = new Map<string, { readonly text: string; readonly status: string }>()
  /** The texts of new tasks, by call. */
  const created = new Map<string, string>()
  const list = (): readonly TodoItem[] => readTodoItems([...tasks.values()])
  return {
    called(tool, input, call) {
      if (tool === 'TaskCreate') {
        const text = textAt(input, 'subject')
        const isNew = call !== undefined && text !== undefined && created.size < tasksMax
        if (isNew) created.set(call, text)
        return undefined
      }
      if (tool !== 'TaskUpdate') return readTodoCall(tool, input)
      const number = textAt(input, 'taskId') ?? ''
      const task = tasks.get(number)
      if (task === undefined) return undefined
      const status = textAt(input, 'status') ?? task.status
      tasks.set(number, { text: textAt(input, 'subject') ?? task.text, status })
      return list()
    },
    ended(call, ok, result) {
      const text = created.get(call)
      created.delete(call)
      const number = /Task #(\d{1,9})/.exec(result)?.[1]
      if (text === undefined || !ok || number === undefined || tasks.size >= tasksMax) {
        return undefined
      }
      tasks.set(number, { text, status: 'pending' })
      return list()
    },
  }
}
