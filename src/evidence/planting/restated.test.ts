import { expect, test } from 'vitest'
import { plantFailures } from './index.ts'

const restated = async (file: string, text: string, title: string): Promise<string> => {
  const tests = [{ id: 'x', titles: [title] }]
  return (await plantFailures({ file, text, tests, kind: 'restated', marker: 'm' })).text
}

const inTest = (assertion: string): string => `test('t', async () => {\n  ${assertion}\n})\n`

test.each([
  ['assert.equal(f(1), 3)', 'v !== 3', '(f(1)), 3)'],
  ["assert.deepEqual(f(), { a: [1, 'x'] })", `v["a"][1] !== 'x'`, "(f()), { a: [1, 'x'] })"],
  ['expect(f(1)).toBe(-3)', 'v !== -3', '(f(1))).toBe(-3)'],
  ['expect(await f(1)).to.deep.equal([])', 'v.length !== 0', '(await f(1))).to.deep.equal([])'],
  ['expect(f(a)).toBe(row.want)', 'v !== row.want && (v === v', '(f(a))).toBe(row.want)'],
  ['assert.strictEqual(f(a), want)', "'function'].includes(typeof want)) && v", '(f(a)), want)'],
  ['expect(f()).toEqual([a])', 'v[0] !== a', '(f())).toEqual([a])'],
  ['t.is(f(1), null)', 'v !== null', '(f(1)), null)'],
])('restates what a script expects: %s', async (assertion, condition, rest) => {
  const text = await restated('a.test.js', inTest(assertion), 't')
  expect(text).toContain(condition)
  expect(text).toContain('throw new Error("m"); return v })')
  expect(text).toContain(rest)
})

test.each([
  'assert.notEqual(f(1), 3)',
  'await expect(f(1)).resolves.toBe(3)',
  'expect(f(1)).not.toBe(3)',
  'expect(f(1)).toBeCloseTo(3)',
  'assert.equal(f(1), other)',
  'expect(f(1)).toBe(v)',
  'expect(f(1)).toBe(g())',
  'expect(f(1)).toBe(rows[0])',
  'assert.equal(...pair)',
  'assert.deepEqual(f(), { ...a })',
])('leaves anything but equality with a literal or a name unchanged: %s', async (assertion) => {
  expect(await restated('a.test.js', inTest(assertion), 't')).toBe(inTest(assertion))
})
