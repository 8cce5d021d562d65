/**
 * The todo list that an agent keeps while it works, as it reports it. It is a claim, shown to people and given back in the
 * next prompt as data; nothing is decided by it.
 */

import { inOneLine } from '../fault.ts'
import { plainOutput } from '../plain-output.ts'

export type TodoStatus = 'open' | 'doing' | 'done'

export interface TodoItem {
  readonly text: string
  readonly status: TodoStatus
}

export interface TodoList {
  /** The first ones. */
  readonly items: readonly TodoItem[]
  /** Of all, also those that are left out. */
  readonly total: number
  readonly done: number
}

const itemsMax = 50
const textCharsMax = 200

/** Limits a list. Agents write any text, of any length. */
export const toTodoList = (items: readonly TodoItem[]): TodoList => ({
  items: items.slice(0, itemsMax).map(limit),
  total: items.length,
  done: items.filter((item) => item?.status === 'done').length,
})

const limit = (item: TodoItem | undefined): TodoItem => ({
  text: typeof item?.text === 'string' ? shorten(item.text) : '',
  status: item?.status === 'done' || item?.status === 'doing' ? item.status : 'open',
})

const shorten = (text: string): string =>
  inOneLine(plainOutput(text.slice(0, 4 * textCharsMax))).slice(0, textCharsMax)

export const isSameTodo = (one: TodoList | undefined, other: TodoList): boolean =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other)

/** `2 of 5 done; now: Write the tests`. */
export function summarizeTodo({ items, total, done }: TodoList): string {
  const now = items.find(({ status }) => status === 'doing')
  return `${done} of ${total} done${now === undefined ? '' : `; now: ${now.text}`}`
}

const signs: Readonly<Record<TodoStatus, string>> = { open: '[ ]', doing: '[>]', done: '[x]' }

/** One line for each item. */
export function describeTodo({ items, total }: TodoList): readonly string[] {
  const left = total - items.length
  return [
    ...items.map(({ text, status }) => `${signs[status]} ${text}`),
    ...(left > 0 ? [`… and ${left} more`] : []),
  ]
}
