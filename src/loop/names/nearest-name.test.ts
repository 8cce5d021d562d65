import { describe, expect, test } from 'vitest'
import { findNearestName } from './nearest-name.ts'

const known = ['prompt', 'agent', 'checks', 'until', 'limits', 'workspace', 'files_changed']

describe('the nearest name', () => {
  test.each([
    ['promt', 'prompt'],
    ['prmopt', 'prompt'],
    ['check', 'checks'],
    ['Limits', 'limits'],
    ['filesChanged', 'files_changed'],
    ['files-changed', 'files_changed'],
    ['worksapce', 'workspace'],
  ])('of %s is %s', (name, nearest) => {
    expect(findNearestName(name, known)).toBe(nearest)
  })

  test.each([['budget'], ['x'], [''], ['unrelated'], ['p'.repeat(10_000)]])(
    'of %s is none of these',
    (name) => {
      expect(findNearestName(name, known)).toBeUndefined()
    },
  )

  test('is the nearest one, and the first of those that are equally near', () => {
    expect(findNearestName('cat', ['bat', 'hat', 'cart'])).toBe('bat')
    expect(findNearestName('carts', ['bards', 'parts', 'carts'])).toBe('carts')
  })

  test('is only looked for among a limited number of names', () => {
    function* endless(): Generator<string> {
      for (;;) yield 'another'
    }
    expect(findNearestName('name', endless())).toBeUndefined()
  })
})
