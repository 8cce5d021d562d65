import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assembleContext, type Section } from './context-window.ts'
import { isLoopError } from './errors.ts'
import { estimateTokens } from './token-estimate.ts'

const lines = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1} of the text`).join('\n')

const section = (name: string, more: Partial<Section> = {}): Section => ({
  name,
  text: lines(40, name),
  priority: 50,
  ...more,
})

function failureOf(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}

const namesOf = (list: readonly { readonly name: string }[]): string[] =>
  list.map(({ name }) => name)

describe('sections', () => {
  test('that fit are joined: the stable first, each group in the order given (W2)', () => {
    const made = assembleContext(
      [
        section('news', { text: 'N' }),
        section('rules', { text: 'R', stable: true }),
        section('task', { text: 'T' }),
        section('tools', { text: 'O', stable: true }),
      ],
      { tokensMax: 1000 },
    )
    expect(made.text).toBe('R\n\nO\n\nN\n\nT')
    expect(namesOf(made.sections)).toEqual(['rules', 'tools', 'news', 'task'])
    expect(made.cuts).toEqual([])
  })

  test('that are empty leave no trace', () => {
    const made = assembleContext([section('a', { text: ' \n ' }), section('b', { text: 'B' })], {
      tokensMax: 100,
    })
    expect(made).toMatchObject({ text: 'B', cuts: [] })
    expect(namesOf(made.sections)).toEqual(['b'])
  })

  test('are cut by priority, then unstable ones first, then later ones first (W3)', () => {
    const all = [
      section('stable-low', { priority: 10, stable: true }),
      section('first', { priority: 10 }),
      section('second', { priority: 10 }),
      section('high', { priority: 90 }),
      section('needed', { priority: 0, required: true }),
    ]
    const one = estimateTokens(all[4]?.text ?? '') + 20
    const made = assembleContext(all, { tokensMax: one })
    expect(made.cuts.map((cut) => cut.section)).toEqual(['second', 'first', 'stable-low', 'high'])
    expect(made.cuts.every((cut) => cut.dropped)).toBe(true)
    expect(made.text).toBe(all[4]?.text)
  })

  test('are shortened at the end of a line, with a mark that says how much was cut (W4)', () => {
    const made = assembleContext([section('log')], { tokensMax: 200 })
    const [cut] = made.cuts
    expect(cut).toMatchObject({ section: 'log', dropped: false })
    const kept = made.text.split('\n')
    expect(kept.at(-1)).toBe(`[... about ${cut?.tokens} tokens of "log" were cut here ...]`)
    expect(lines(40, 'log').startsWith(kept.slice(0, -1).join('\n'))).toBe(true)
    expect(kept.length).toBeGreaterThan(5)
  })

  test('keep their end with keep: end', () => {
    const made = assembleContext([section('log', { keep: 'end' })], { tokensMax: 200 })
    const kept = made.text.split('\n')
    expect(kept[0]).toMatch(/^\[\.\.\. about \d+ tokens of "log" were cut here \.\.\.\]$/)
    expect(lines(40, 'log').endsWith(kept.slice(1).join('\n'))).toBe(true)
    expect(kept.at(-1)).toBe('log 40 of the text')
  })

  test('with one very long line are cut inside of it', () => {
    const text = '{"key":[1,2,3],"word":"value"}'.repeat(2000)
    for (const keep of ['start', 'end'] as const) {
      const made = assembleContext([section('data', { text, keep })], { tokensMax: 2000 })
      expect(made.cuts).toMatchObject([{ section: 'data', dropped: false }])
      expect(made.text.length).toBeGreaterThan(1000)
    }
  })

  test('are dropped if too little would remain', () => {
    const made = assembleContext(
      [section('log', { priority: 1 }), section('task', { priority: 9 })],
      { tokensMax: estimateTokens(lines(40, 'task')) + 30 },
    )
    expect(made.cuts).toMatchObject([{ section: 'log', dropped: true }])
    expect(made.text).toBe(lines(40, 'task'))
  })

  test('that are required and do not fit cause an error that says by how much', () => {
    const needed = section('task', { required: true })
    const over = estimateTokens(needed.text) - 100
    const error = failureOf(() => assembleContext([needed, section('other')], { tokensMax: 100 }))
    expect(isLoopError(error, 'bad-request')).toBe(true)
    const tokens = Number(/about (\d+) tokens/.exec(String(error))?.[1])
    expect(Math.abs(tokens - over)).toBeLessThan(10)
    expect(String(error)).toContain('("task")')
  })

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('reject a limit of %s', (limit) => {
    expect(() => assembleContext([], { tokensMax: limit })).toThrow('positive whole number')
  })
})

/** Contains no lone surrogate. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 2000 }),
  fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 60 }).map((list) => list.join('\n')),
  fc.constantFrom('😀'.repeat(1500), 'x😀'.repeat(900), lines(200), '\n\n\n', 'a'.repeat(3000)),
)
const anySections = fc.uniqueArray(
  fc.record(
    {
      name: fc.string({ minLength: 1, maxLength: 8 }),
      text: texts,
      priority: fc.integer({ min: 0, max: 3 }),
      stable: fc.boolean(),
      keep: fc.constantFrom('start' as const, 'end' as const),
    },
    { requiredKeys: ['name', 'text', 'priority'] },
  ),
  { maxLength: 6, selector: ({ name }) => name },
)

test('for any sections, the limit holds and no surrogate pair is split (W1, W4, W5)', () => {
  fc.assert(
    fc.property(anySections, fc.integer({ min: 1, max: 4000 }), (sections, tokensMax) => {
      const made = assembleContext(sections, { tokensMax })
      expect(made.tokens).toBeLessThanOrEqual(tokensMax)
      expect(estimateTokens(made.text)).toBeLessThanOrEqual(made.tokens)
      const wellFormed = sections.every(({ text }) => isWellFormed(text))
      expect(isWellFormed(made.text) || !wellFormed).toBe(true)
      const cut = new Set(made.cuts.map((one) => one.section))
      const whole = sections.filter(({ name, text }) => !cut.has(name) && text.trim() !== '')
      expect(whole.filter(({ text }) => !made.text.includes(text))).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('the same sections always give the same text', () => {
  fc.assert(
    fc.property(anySections, fc.integer({ min: 1, max: 4000 }), (sections, tokensMax) => {
      expect(assembleContext(sections, { tokensMax })).toEqual(
        assembleContext(sections, { tokensMax }),
      )
    }),
    { numRuns: 50 },
  )
})
