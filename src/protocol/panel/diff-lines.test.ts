import { describe, expect, test } from 'vitest'
import { diffLines, withoutDistant } from './diff-lines.ts'

const marks = (before: string, after: string): string =>
  diffLines(before, after)
    .map(({ type, text }) => `${{ same: ' ', removed: '-', added: '+' }[type]}${text}`)
    .join('|')

describe('the lines of two texts', () => {
  test.each([
    ['', '', ''],
    ['', 'a\n', '+a'],
    ['a', '', '-a'],
    ['a\nb\nc\n', 'a\nx\nc\n', ' a|-b|+x| c'],
    ['a\nb', 'b\na', '-a| b|+a'],
    ['a\na\na', 'a\na', ' a| a|-a'],
    ['k: 1\n', 'k: 2\n', '-k: 1|+k: 2'],
  ])('%j and %j are %j', (before, after, expected) => {
    expect(marks(before, after)).toBe(expected)
  })

  test('both texts can be read from the lines, for any two texts', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const [before, after] = [textOf(seed), textOf(seed * 31)]
      const lines = diffLines(before, after)
      const side = (other: 'added' | 'removed') =>
        lines.flatMap(({ type, text }) => (type === other ? [] : [text])).join('\n')
      expect([side('added'), side('removed')]).toEqual([before, after])
    }
  })

  test('texts that share nothing and are large are removed and added as a whole', () => {
    const text = (name: string) => Array.from({ length: 600 }, (_, at) => name + at).join('\n')
    const types = diffLines(text('a'), text('b')).map(({ type }) => type)
    expect(types).toEqual([...Array(600).fill('removed'), ...Array(600).fill('added')])
  })

  test('equal lines far from a change are counted, not shown', () => {
    const text = (one: string) => ['1', '2', '3', '4', '5', one, '7', '8', '9', '10'].join('\n')
    const shown = withoutDistant(diffLines(text('6'), text('x')))
    expect(shown.map((line) => (line.type === 'gap' ? line.lines : line.text))).toEqual([
      2,
      '3',
      '4',
      '5',
      '6',
      'x',
      '7',
      '8',
      '9',
      1,
    ])
  })
})

/** Lines of few kinds, so that texts share some. */
function textOf(seed: number): string {
  let value = seed
  const next = (): number => (value = (value * 48_271) % 2_147_483_647)
  return Array.from({ length: 1 + (next() % 12) }, () => 'abcd'[next() % 4]).join('\n')
}
