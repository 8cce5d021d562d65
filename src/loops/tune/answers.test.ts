import { expect, test } from 'vitest'
import { findAnswer, parseAnswers } from './answers.ts'

const read = (text: string, used: readonly string[] = []) => {
  const given = parseAnswers(text)
  if (typeof given === 'string') throw new Error(given)
  return (name: string) => findAnswer({ given, used: new Set(used) }, name)
}

test('lines and JSON mean the same', () => {
  const lines = read('# mine\n\nbaseline: begin\npick 2 :  1.1 \nrunCommand: sh -c "a: b"\n')
  const json = read('{"baseline": "begin", "pick 2": "1.1", "runCommand": "sh -c \\"a: b\\""}')
  for (const find of [lines, json]) {
    expect(find('baseline')).toBe('begin')
    expect(find('pick 2')).toBe('1.1')
    expect(find('runCommand')).toBe('sh -c "a: b"')
    expect(find('plan')).toBeUndefined()
  }
})

test('an answer without a number is for all questions of its kind', () => {
  const find = read('pick: race\npick 2: skip\n')
  expect([find('pick 1'), find('pick 2'), find('pick 13')]).toEqual(['race', 'skip', 'race'])
  expect(find('picking 1')).toBeUndefined()
})

test('a question is answered once', () => {
  expect(read('baseline: begin\n', ['baseline'])('baseline')).toBeUndefined()
})

test.each([
  ['{"a": }', 'it is not JSON'],
  ['["a"]', 'line 1 is not "question: answer"'],
  ['{"a": {}}', 'the answer to "a" is not a text'],
  ['baseline begin', 'line 1 is not "question: answer"'],
  ['a: b\na: c', 'it answers a question twice'],
  [`a: ${'x'.repeat(20_001)}`, 'has more than 20000 characters'],
])('a file that cannot be used says why: %s', (text, problem) => {
  expect(parseAnswers(text)).toContain(problem)
})

test('a name of the prototype is not an answer', () => {
  expect(read('{}')('constructor')).toBeUndefined()
  expect(read('{"__proto__": "x"}')('__proto__')).toBe('x')
})
