import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { captureProgress, keepEnd, renderProgress, type SystemProgress } from './progress.ts'

const text = fc.oneof(
  fc.string({ maxLength: 3000 }),
  fc.string({ unit: 'binary', maxLength: 3000 }),
  fc.array(fc.constantFrom('🙂', 'a', '\n'), { maxLength: 2000 }).map((parts) => parts.join('')),
)

/** The remaining text, without the truncation mark. */
const kept = (whole: string): string => whole.replace('...[truncated]...\n', '')

describe('truncation keeps the newest part', () => {
  test('of a text, as much of its end as fits is kept', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 1000 }), (whole, charsMax) => {
        const end = keepEnd(whole, charsMax)
        expect(end.length).toBeLessThanOrEqual(charsMax)
        expect(whole.endsWith(kept(end))).toBe(true)
        expect(end.length).toBeGreaterThanOrEqual(Math.min(whole.length, charsMax - 1))
      }),
    )
  })

  test('no surrogate pair is split', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.nat(3), (charsMax, offset) => {
        const end = keepEnd('x'.repeat(offset) + '🙂'.repeat(150), charsMax)
        // A lone surrogate does not survive encoding as UTF-8.
        expect(decodeURIComponent(encodeURIComponent(end))).toBe(end)
      }),
    )
  })

  test('only a truncated text has a mark', () => {
    expect(keepEnd('a'.repeat(501), 500)).toMatch(/^\.\.\.\[truncated]\.\.\.\na{482}$/)
    expect(keepEnd('a'.repeat(500), 500)).toBe('a'.repeat(500))
  })

  test('the last five entries are kept, each with its last 500 characters', () => {
    let progress: SystemProgress | undefined
    for (let iteration = 1; iteration <= 7; iteration++) {
      progress = captureProgress(progress, {
        iteration,
        text: `${'-'.repeat(600)}end ${iteration}`,
      })
    }
    expect(progress?.entries.map((entry) => entry.iteration)).toEqual([3, 4, 5, 6, 7])
    for (const entry of progress?.entries ?? []) {
      expect(entry.text).toHaveLength(500)
      expect(entry.text.endsWith(`end ${entry.iteration}`)).toBe(true)
    }
  })

  test('with other limits and any number of earlier entries', () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 20 }),
        fc.record({ entriesMax: fc.nat(8), charsMax: fc.nat(100) }),
        (texts, limits) => {
          let progress: SystemProgress | undefined
          for (const [index, one] of texts.entries()) {
            progress = captureProgress(progress, { iteration: index + 1, text: one }, limits)
          }
          const iterations = progress?.entries.map((entry) => entry.iteration)
          const expected = texts.map((_, index) => index + 1).slice(-limits.entriesMax || Infinity)
          expect(iterations).toEqual(expected)
        },
      ),
    )
  })
})

test('progress is rendered oldest first, and as an empty text if there is none', () => {
  const first = captureProgress(undefined, { iteration: 1, text: 'began' })
  const second = captureProgress(first, { iteration: 2, text: 'went on' })
  expect(renderProgress(second)).toBe('## Iteration 1\nbegan\n\n## Iteration 2\nwent on')
  expect(renderProgress(undefined)).toBe('')
  expect(first.entries).toHaveLength(1)
})
