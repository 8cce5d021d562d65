import { expect, test } from 'vitest'
import { at, countAt, listAt, readEvent, textAt, toShortText } from './event-line.ts'

test('only an object of limited depth is an event', () => {
  expect(readEvent(' {"a":{"b":[1]}} ')).toEqual({ a: { b: [1] } })
  for (const line of ['', 'Reading…', '[1]', '"a"', '{"a":', '{"a":1}x', '{"a":"\0"}', 'null']) {
    expect(readEvent(line)).toBeUndefined()
  }
  const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
  expect(readEvent(nested(90))).toBeDefined()
  expect(readEvent(nested(200))).toBeUndefined()
  expect(readEvent(`{"a":"${'['.repeat(500)}\\"${'{'.repeat(500)}"}`)).toBeDefined()
})

test('missing values and values of another type are undefined', () => {
  const event = readEvent(
    '{"a":{"t":"x","n":3,"l":[1],"big":1e999,"minus":-1},"__proto__":{"p":1}}',
  )
  expect(textAt(event, 'a', 't')).toBe('x')
  expect(textAt(event, 'a', 'n')).toBeUndefined()
  expect(countAt(event, 'a', 'n')).toBe(3)
  expect(countAt(event, 'a', 'big')).toBeUndefined()
  expect(countAt(event, 'a', 'minus')).toBeUndefined()
  expect(listAt(event, 'a', 'l')).toEqual([1])
  expect(listAt(event, 'a', 't')).toEqual([])
  expect(at(event, 'a', 'constructor')).toBeUndefined()
  expect(at(event, 'p')).toBeUndefined()
  expect(at(undefined, 'a')).toBeUndefined()
})

test('a value is shown briefly', () => {
  expect(toShortText({ a: 1 })).toBe('{"a":1}')
  expect(toShortText('x'.repeat(900))).toHaveLength(500)
  expect(toShortText(undefined)).toBe('')
})
