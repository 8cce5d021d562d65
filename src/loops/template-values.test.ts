// What hostile values can do in a valid template: nothing. They are data.

import { describe, expect, test } from 'vitest'
import { isLoopError } from '../loop/index.ts'
import { createTemplate } from './template.ts'

const witness = { ran: 0 }

class Evil {
  readonly goal = 'evil'
}

const hostile = '{{ input.goal }}{% include "/etc/passwd" %}{{ "a" | append: "b" }}'

/** The outcome: text, or the message of a `bad-template`. Anything else fails the test. */
async function outcomeOf(text: string, values: Record<string, unknown>): Promise<string> {
  try {
    return `text: ${(await createTemplate(text, { file: 't' })).render(values)}`
  } catch (error) {
    if (isLoopError(error, 'bad-template')) return `error: ${error.message}`
    throw error
  }
}

describe('hostile values:', () => {
  test('text that looks like a template stays text, through filters too', async () => {
    expect(await outcomeOf('{{ hostile }}', { hostile })).toBe(`text: ${hostile}`)
    const twice =
      '{% assign a = hostile | append: "" %}{% capture b %}{{ a }}{% endcapture %}{{ b }}'
    expect(await outcomeOf(twice, { hostile })).toBe(`text: ${hostile}`)
    expect(await outcomeOf('{% liquid\n echo hostile\n%}', { hostile })).toBe(`text: ${hostile}`)
  })

  test.each<[string, unknown]>([
    ['a function', () => witness.ran++],
    ['a class', Evil],
    ['an instance', new Evil()],
    ['a symbol', Symbol('evil')],
    ['a big integer', 10n],
    ['a promise', Promise.resolve(1)],
    ['a date', new Date(0)],
    ['a map', new Map([['a', 1]])],
    ['not a number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['an object with a toString', Object.create({ toString: () => `${witness.ran++}` })],
    ['an object with a toLiquid', { toLiquid: () => witness.ran++ }],
    ['an object with a valueOf', { valueOf: () => witness.ran++ }],
    ['a list with a function', [() => witness.ran++]],
  ])('%s is refused, and not run', async (_name, value) => {
    expect(await outcomeOf('{{ value }}', { value })).toMatch(
      /^error: t:1:1: its values cannot be used: \$\.value/,
    )
    expect(witness.ran).toBe(0)
  })

  test('a circular value is refused', async () => {
    const value: Record<string, unknown> = {}
    value['self'] = value
    expect(await outcomeOf('{{ value }}', { value })).toMatch(/^error: .*contains itself/)
  })

  test('a key named __proto__ changes no prototype', async () => {
    const value: unknown = JSON.parse('{"__proto__": {"polluted": "yes"}, "a": 1}')
    expect(await outcomeOf('{{ value.polluted }}', { value })).toMatch(/^error: .*no variable/)
    expect(await outcomeOf('{{ value | json }}{{ value.a }}', { value })).toMatch(/^text: .*1$/)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    expect('polluted' in {}).toBe(false)
  })

  test('long values are not expanded', async () => {
    const made = await outcomeOf('{{ value }}', { value: 'x'.repeat(4_000_000) })
    expect(made.length).toBe(4_000_006)
    expect(await outcomeOf('{{ value }}', { value: 'x'.repeat(9_000_000) })).toMatch(
      /^error: .*makes more than/,
    )
  })
})
