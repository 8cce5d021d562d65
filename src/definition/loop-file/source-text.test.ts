import { describe, expect, test } from 'vitest'
import { readSource, sourceText } from './source-text.ts'

describe('positions in a text', () => {
  test('count lines and characters from 1, and never leave the text', () => {
    const { positionAt } = sourceText('ab\r\nc\n\nd')
    expect(
      [0, 1, 4, 5, 6, 7, 8, 99, -5].map((offset) => Object.values(positionAt(offset))),
    ).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
      [2, 2],
      [3, 1],
      [4, 1],
      [4, 2],
      [4, 2],
      [1, 1],
    ])
  })

  test('do not count a byte order mark', () => {
    const read = readSource('\ufeffa\u0007')
    expect(read).toMatchObject({ type: 'refused', problem: { line: 1, column: 2 } })
  })
})
