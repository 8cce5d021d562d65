import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../testing/seeded-random.ts'
import { loadCedar } from './cedar.ts'
import { findNestingProblem } from './nesting.ts'
import { readRules } from './read-rules.ts'

const rule = (condition: string): string =>
  `forbid (principal, action, resource) when { ${condition} };`

describe('a rule', () => {
  test.each([
    ['parentheses', `${'('.repeat(40)}true${')'.repeat(40)}`],
    ['sets', `${'['.repeat(40)}1${']'.repeat(40)} == 1`],
    ['terms', Array(200).fill('true').join(' && ')],
    ['sums', `${Array(200).fill('1').join(' + ')} > 0`],
    ['attributes', `context${'.a'.repeat(200)}`],
    ['conditions', `${'if true then '.repeat(200)}true${' else true'.repeat(200)}`],
    ['an unclosed string', '"((('],
    [
      'parentheses after a comment that ends with \\r',
      `true // \r && ${'('.repeat(40)}true${')'.repeat(40)}`,
    ],
  ])('with too many %s is refused', (_, condition) => {
    expect(findNestingProblem(rule(condition))).toBeDefined()
  })

  test.each([
    ['brackets in strings and comments', `context == "${'('.repeat(99)}" // ${'['.repeat(99)}\n`],
    ['a long list', `resource in [${Array(500).fill('Tool::"x"').join(', ')}]`],
    ['forty terms', Array(40).fill('context.tokens > 1').join(' && ')],
  ])('with %s is accepted', (_, condition) => {
    expect(findNestingProblem(rule(condition))).toBeUndefined()
  })

  test('does not count towards the next one', () => {
    const one = rule(Array(100).fill('true').join(' && '))
    expect(findNestingProblem(one.repeat(20))).toBeUndefined()
  })
})

test('Cedar survives every shape within the limits', async () => {
  const cedar = await loadCedar()
  const random = seededRandom(19)
  const opens = ['(', '[', '{a: ', 'if true then (', 'context.contains(', '!(', '-(', '1 + (']
  const chains = [' && true', ' + 1', '.a', ' || context.tokens > 1', ' * 2', ' == 1', ' has a']
  let tried = 0
  while (tried < 300) {
    const parts = ['true']
    const budget = random.between(0, 150)
    for (let count = 0; count < budget; count++) {
      if (random.chance(0.3)) {
        const open = random.pick(opens)
        parts.unshift(open)
        parts.push(open.endsWith('[') ? ']' : open.startsWith('{') ? '}' : ')')
        if (open.startsWith('if')) parts.push(' else false')
      } else parts.push(random.pick(chains))
    }
    const text = rule(parts.join(''))
    tried += 1
    if (findNestingProblem(text) !== undefined) continue
    readRules(cedar, { file: 'a.cedar', text })
  }
  expect(readRules(cedar, { file: 'a.cedar', text: rule('true') }).problems).toEqual([])
})
