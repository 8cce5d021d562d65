import { expect, test } from 'vitest'
import { describeEdit } from './edit.ts'

const replace = (text: string, old: string, by: string): string =>
  describeEdit(text, {
    file: 'a.js',
    operator: 'number',
    start: text.indexOf(old),
    end: text.indexOf(old) + old.length,
    pieces: [by],
  })

test('an edit of a short line shows the whole line', () => {
  expect(replace('let a\n  if (a > 1) b()\n', '>', '>=')).toBe(
    'a.js:2: if (a > 1) b() → if (a >= 1) b()',
  )
})

test('an edit of a long line shows the part that changes', () => {
  const long = `${'const many = words.filter(Boolean); '.repeat(4)}return many.length === 0`
  const [was = '', is = ''] = replace(long, '=== 0', '!== 0').split(' → ')
  expect(was).toMatch(/^a\.js:1: ….*return many\.length === 0$/)
  expect(is).toMatch(/^….*return many\.length !== 0$/)
})

test('an edit near the start of a long line leaves out its end', () => {
  const long = `if (a > 1) { ${'call(one, two, three); '.repeat(6)}}`
  expect(replace(long, '>', '<')).toMatch(/^a\.js:1: if \(a > 1\) .*… → if \(a < 1\) .*…$/)
})
