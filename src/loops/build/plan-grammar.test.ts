import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsePlan, readDetails, tasksMax, writeMarks } from './plan-grammar.ts'

const read = (text: string) => parsePlan(text).map(({ text: label, mark }) => [label, mark])

describe('a plan', () => {
  test.each<[string, string, readonly (readonly [string, string])[]]>([
    ['- [ ] a', 'an open task', [['a', 'open']]],
    ['- [~] a', 'a blocked task', [['a', 'blocked']]],
    ['- [x] a', 'one that awaits its review', [['a', 'implemented']]],
    ['- [X] a', 'the same in upper case', [['a', 'implemented']]],
    ['- [R] a', 'one that was reviewed', [['a', 'reviewed']]],
    ['- [ ]? try it on a phone', 'manual QA, which is not a task', []],
    [
      '* [ ] a\n+ [ ] b\n1. [ ] c\n2) [ ] d',
      'all kinds of lists',
      [
        ['a', 'open'],
        ['b', 'open'],
        ['c', 'open'],
        ['d', 'open'],
      ],
    ],
    [
      '- [ ] a\n  - [x] b',
      'tasks below tasks',
      [
        ['a', 'open'],
        ['b', 'implemented'],
      ],
    ],
    [
      '- [ ]  a b  \r\n- [ ] c\r',
      'other line ends and spaces',
      [
        ['a b', 'open'],
        ['c', 'open'],
      ],
    ],
    ['[ ] a\n- [] b\n-[ ] c\n- [ ]d\n- [ ]\n- [y] e', 'what only looks like a task', []],
    ['```\n- [ ] a\n```\n- [ ] b', 'no code', [['b', 'open']]],
    ['~~~~md\n- [ ] a\n~~~\n- [ ] b\n~~~~\n- [ ] c', 'no longer fence', [['c', 'open']]],
    ['````\n```\n- [ ] a\n````\n- [ ] b', 'no fence in a fence', [['b', 'open']]],
    ['```\n- [ ] a', 'no code that never ends', []],
    ['<!-- - [ ] a -->\n<!--\n- [ ] b\n-->\n- [ ] c', 'no comments', [['c', 'open']]],
    [
      '## Verification\n- [ ] a\n### More\n- [ ] b\n## Work\n- [ ] c',
      'no verification',
      [['c', 'open']],
    ],
    ['# Release checklist\n- [ ] a\n# Tasks\n- [ ] b', 'no checklist', [['b', 'open']]],
    ['## Manual QA on phones\n- [ ] a\n## Not manual qa\n- [ ] b', 'no manual QA', [['b', 'open']]],
  ])('%j: %s', (text, _what, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test('is read whole, so that one with too many tasks is noticed', () => {
    expect(parsePlan('- [ ] a\n'.repeat(tasksMax + 5))).toHaveLength(tasksMax + 5)
  })

  test('changes nothing but the marks when they are written', () => {
    const text =
      '# Plan\r\n\r\n1. [ ] a  \r\n   - [x] b [ ] c\n```\n- [ ] d\n```\n- [ ]? e\n- [R] f'
    const tasks = parsePlan(text)
    expect(
      writeMarks(
        text,
        tasks.map(({ line }) => ({ line, mark: 'reviewed' })),
      ),
    ).toBe('# Plan\r\n\r\n1. [R] a  \r\n   - [R] b [ ] c\n```\n- [ ] d\n```\n- [ ]? e\n- [R] f')
  })

  test('has the same tasks after its marks were written, whatever the text', () => {
    const line = constantFrom(
      '- [ ] a',
      '  - [x] b $& $1',
      '```',
      '# Checklist',
      '# Tasks',
      '<!--',
      '-->',
      '',
      '- [~] c',
      'x',
    )
    const mark = constantFrom('open', 'blocked', 'implemented', 'reviewed')
    assert(
      property(
        array(line, { maxLength: 20 }),
        array(mark, { minLength: 20, maxLength: 20 }),
        (lines, marks) => {
          const text = lines.join('\n')
          const tasks = parsePlan(text).map((task, index) => ({
            ...task,
            mark: marks[index] ?? 'open',
          }))
          expect(parsePlan(writeMarks(text, tasks))).toEqual(tasks)
        },
      ),
    )
  })

  test('has details below a task', () => {
    const text = '- [ ] a\n  first\n    deep\n  - [ ] b\n  of b\n\n- [ ] c'
    const [a = { line: -1 }, , c = { line: -1 }] = parsePlan(text)
    expect(readDetails(text, a)).toBe('  first\n    deep')
    expect(readDetails(text, c)).toBe('')
  })
})

test('code in a line opens no block', () => {
  expect(read('```npm test``` must pass\n- [ ] a\n```js\n- [ ] b\n```\n- [ ] c')).toEqual([
    ['a', 'open'],
    ['c', 'open'],
  ])
})

test.each(['# a', '- [ ] a', '- [ ]', '```'])('%j with many spaces takes no longer', (start) => {
  const text = `${start}${' '.repeat(400_000)}b`
  const startMs = performance.now()
  const tasks = parsePlan(text)
  writeMarks(text, [{ line: 0, mark: 'reviewed' }])
  expect(performance.now() - startMs).toBeLessThan(2000)
  expect(tasks).toHaveLength(start.startsWith('-') ? 1 : 0)
})
