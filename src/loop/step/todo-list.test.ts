import { expect, test } from 'vitest'
import { describeTodo, isSameTodo, summarizeTodo, type TodoItem, toTodoList } from './todo-list.ts'

test('a todo list is limited, and says how much it leaves out', () => {
  const items: TodoItem[] = Array.from({ length: 60 }, (_, index) => ({
    text: `item ${index}\nwith \u001b[31mmore\u202e ${'x'.repeat(1000)}`,
    status: index < 55 ? 'done' : 'open',
  }))
  const list = toTodoList(items)
  expect(list).toMatchObject({ total: 60, done: 55 })
  expect(list.items).toHaveLength(50)
  expect(
    list.items.every(
      ({ text }) =>
        text.length <= 200 && !['\n', '\u001b', '\u202e'].some((one) => text.includes(one)),
    ),
  ).toBe(true)
  expect(describeTodo(list).at(-1)).toBe('… and 10 more')
})

test('a todo list is summarized with what is in progress', () => {
  const list = toTodoList([
    { text: 'Read', status: 'done' },
    { text: 'Write', status: 'doing' },
    { text: 'Test', status: 'open' },
  ])
  expect(summarizeTodo(list)).toBe('1 of 3 done; now: Write')
  expect(describeTodo(list)).toEqual(['[x] Read', '[>] Write', '[ ] Test'])
  expect([isSameTodo(list, { ...list }), isSameTodo(undefined, list)]).toEqual([true, false])
})

test('items of any shape are accepted', () => {
  const odd = [null, 7, {}, { text: 7, status: 'no' }] as unknown as TodoItem[]
  expect(toTodoList(odd).items).toEqual(odd.map(() => ({ text: '', status: 'open' })))
})
