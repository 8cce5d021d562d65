/** Sees the todo lists that an agent reports while it works, so that its report has the last one. */

import { type AgentContext, type TodoList, toTodoList } from '../../loop/index.ts'

export interface WatchedTodo {
  readonly context: AgentContext
  /** Undefined: it reported none. */
  last(): TodoList | undefined
}

export function watchTodo(context: AgentContext): WatchedTodo {
  let found: TodoList | undefined
  return {
    context: {
      ...context,
      note(note) {
        if (note.type === 'todo') found = boundTodo(note)
        context.note(note)
      },
    },
    last: () => found,
  }
}

/** Custom agents may report anything. */
export function boundTodo({ items, total, done }: TodoList): TodoList {
  const bounded = toTodoList(Array.isArray(items) ? items : [])
  const all = Math.max(bounded.total, toCount(total))
  return { items: bounded.items, total: all, done: Math.min(all, toCount(done)) }
}

const toCount = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0)
