import assert from 'node:assert'
import { describe, expect, it } from 'vitest'
import { type Planted, plantFailures } from './plant-failures.ts'
import { parseHere } from './script/parse-here.ts'
import { readScriptWith } from './script/read-script.ts'
import type { PlantKind } from './test-source.ts'

const marker = 'planted-4711'

const read = readScriptWith(parseHere)

const plant = (
  text: string,
  titles: readonly string[],
  kind: PlantKind,
  file = 'a.test.js',
): Promise<Planted> =>
  plantFailures({ file, text, tests: [{ id: 'it', titles }], kind, marker }, read)

interface Result {
  readonly titles: string
  readonly error?: string
}

type Body = (...given: readonly unknown[]) => unknown

/** Runs the tests of a text like a runner: joins titles, awaits promises, supports `done`. */
async function runTests(text: string): Promise<readonly Result[]> {
  const queue: { titles: string; body: () => unknown }[] = []
  const suites: string[] = []
  const context = { end: () => undefined, is: assert.strictEqual, test: (): unknown => undefined }
  const call = (body: Body): unknown =>
    body.length === 1 && /^(?:async )?\(?done/.test(String(body))
      ? new Promise((resolve, reject) => {
          body((error: unknown) => (error ? reject(error) : resolve(undefined)))
        })
      : body(context)
  const test = (title: string, ...rest: readonly unknown[]): void => {
    const body = rest.findLast((one): one is Body => typeof one === 'function')
    if (body) queue.push({ titles: [...suites, title].join(' > '), body: () => call(body) })
  }
  const each =
    (rows: readonly (readonly unknown[])[]) =>
    (title: string, body: Body): void => {
      for (const row of rows) {
        const values = [...row]
        const filled = title.replaceAll('%s', () => String(values.shift()))
        queue.push({ titles: filled, body: () => body(...row) })
      }
    }
  const describeSuite = (title: string, body: () => void): void => {
    suites.push(title)
    body()
    suites.pop()
  }
  // oxlint-disable-next-line typescript/no-implied-eval -- the texts are those of this file
  new Function('test', 'describe', 'assert', 'expect', text)(
    Object.assign(test, { each, only: test }),
    describeSuite,
    assert,
    expect,
  )
  const results: Result[] = []
  for (const { titles, body } of queue) {
    const error: unknown = await Promise.resolve()
      .then(body)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
    results.push({ titles, ...(error instanceof Error && { error: error.message }) })
  }
  return results
}

const cases: readonly (readonly [what: string, text: string, titles?: readonly string[]])[] = [
  ['a block', `test('a', () => { const x = 1\n assert.equal(x, 1) })`],
  [
    'an empty body and a comment',
    `test('a', () => { /* assert.equal(1, 1) */ }); assert.equal(1, 1)`,
  ],
  ['an expression', `test('a', () => assert.equal(1, 1))`],
  ['an async expression', `test('a', async () => assert.equal(await 1, 1))`],
  [
    'a returned promise',
    `test('a', () => { return Promise.resolve(1).then((x) => assert.equal(x, 1)) })`,
  ],
  ['a returned sequence', `test('a', () => { return assert.ok(1), assert.equal(1, 1) })`],
  ['an early return', `test('a', () => { assert.equal(1, 1); if (1) return\n assert.ok(2) })`],
  [
    'an early return of a value',
    `test('a', async () => { if (1) return assert.equal(1, 1); assert.ok(2) })`,
  ],
  ['a done callback', `test('a', (done) => { assert.equal(1, 1)\n done() })`],
  [
    'a done callback later',
    `test('a', (done) => { setTimeout(() => { try { assert.equal(1, 1); done() } catch (e) { done(e) } }, 1) })`,
  ],
  ['t.end', `test('a', (t) => { t.is(1, 1)\n t.end() })`],
  ['no semicolons', `test('a', () => {\n  const f = () => 1\n  assert.equal(f(), 1)\n})`],
  [
    'declarations at the end',
    `test('a', () => { assert.equal(f(), 1); function f() { return 1 } })`,
  ],
  ['options', `test('a', { timeout: 5 }, () => { expect(1).toBe(1) })`],
  ['a wrapped function', `const wrap = (f) => f; test('a', wrap(() => { expect(1).toBe(1) }))`],
  ['a function by name', `function run() { expect('x').toEqual('x') }\ntest('a', run)`],
  ['only', `test.only('a', () => { expect([1]).toEqual([1]) })`],
  ['an alias', `const t = test\nt('a', () => { expect({ a: 1 }).toMatchObject({ a: 1 }) })`],
  [
    'suites',
    `describe('s', () => { test('a', () => { expect(0.3).toBeCloseTo(0.3) }) })`,
    ['s', 'a'],
  ],
  [
    'a title from a loop',
    'for (const n of [1, 2]) test(`adds ${n}`, () => { expect(n).toBe(n) })',
    ['adds 2'],
  ],
  [
    'a table',
    `test.each([[1, 1], [2, 2]])('%s is %s', (x, y) => { expect(x).toBe(y) })`,
    ['2 is 2'],
  ],
  ['a sum', `test('a ' + 1 + ' b', () => { expect('abc').toContain('b') })`, ['a 1 b']],
  ['a name for a title', `const title = 'a'; test(title, () => { assert.match('abc', /b/) })`],
  ['throws', `test('a', () => { assert.throws(() => { throw new Error('x') }, /x/) })`],
  [
    'throws an object',
    `test('a', () => { assert.throws(() => { throw new Error('x') }, { message: 'x' }) })`,
  ],
  [
    'throws a class',
    `test('a', () => { expect(() => { throw new TypeError('x') }).toThrow(TypeError) })`,
  ],
  ['a comparison', `test('a', () => { const x = 3; if (x !== 3) throw new Error('no') })`],
  ['an assertion of a comparison', `test('a', () => { const x = 3; assert(x === 3) })`],
  ['an order', `test('a', () => { expect(3).toBeGreaterThan(2) })`],
  ['a class', `test('a', () => { expect([]).toBeInstanceOf(Array) })`],
  [
    'a helper',
    `const same = (a, b) => assert.deepEqual(a, b); test('a', () => { same([1].concat(2), [1, 2]) })`,
  ],
  ['a template', 'test("a", () => { const x = 1; expect("1 a").toBe(`${x} a`) })'],
  [
    'a bigint, a negative number',
    `test('a', () => { assert.equal(2n, 2n); assert.equal(-2, -2) })`,
  ],
  [
    'a boolean and undefined',
    `test('a', () => { expect(undefined).toBe(undefined); expect(true).toBe(true) })`,
  ],
  ['a message', `test('a', () => { assert.equal(1, 1, 'the message') })`],
]

describe('planting in scripts', () => {
  for (const [what, text, titles = ['a']] of cases)
    it(`makes a test fail: ${what}`, async () => {
      expect((await runTests(text)).filter((one) => one.error !== undefined)).toEqual([])
      for (const kind of ['before', 'after', 'value'] as const) {
        const planted = await plant(text, titles, kind)
        if (kind === 'value' && planted.not[0]?.why === 'no expected value') continue
        expect(planted.not).toEqual([])
        expect(planted.text.split('\n')).toHaveLength(text.split('\n').length)
        const name = titles.join(' > ')
        const result = (await runTests(planted.text)).find((one) => one.titles === name)
        expect(result?.error).toContain(kind === 'value' ? '' : marker)
      }
    })

  it('replaces the error of an assertion, because a runner may break on its values', async () => {
    for (const [line, isStatement] of [
      ['expect(1).toBe(1)', true],
      ['await expect(Promise.resolve(1)).resolves.toBe(1);', true],
      ['return expect(1).toBe(1)', false],
    ] as const) {
      const { text } = await plant(`test('a', async () => { ${line} })`, ['a'], 'value')
      expect(text.includes(`} catch (planted) { throw new Error("${marker}") }`)).toBe(isStatement)
    }
  })

  it('finds an expected value in every test except the empty one', async () => {
    const without = []
    for (const [what, text, titles = ['a']] of cases)
      if ((await plant(text, titles, 'value')).not.length > 0) without.push(what)
    expect(without).toEqual(['an empty body and a comment'])
  })

  it('plants only in the named tests, all in one text', async () => {
    const text = ['a', 'b', 'c'].map((name) => `test('${name}', () => { assert.ok(1) })`).join('\n')
    const tests = ['a', 'c'].map((name) => ({ id: `id-${name}`, titles: [name] }))
    const planted = await plantFailures({ file: 'a.js', text, tests, kind: 'after', marker }, read)
    expect(planted.planted).toEqual(['id-a', 'id-c'])
    const failed = (await runTests(planted.text)).filter((one) => one.error !== undefined)
    expect(failed.map((one) => one.titles)).toEqual(['a', 'c'])
  })

  it('plants in every test with the same titles, and in the right suite', async () => {
    const test = `test('a', () => { assert.ok(1) })`
    const text = `describe('s', () => { ${test}; ${test} })\ndescribe('u', () => { ${test} })`
    const planted = await plant(text, ['s', 'a'], 'before')
    const results = await runTests(planted.text)
    expect(results.map((one) => one.error !== undefined)).toEqual([true, true, false])
  })

  const refused: readonly (readonly [text: string, kind: PlantKind, why: string])[] = [
    [`test('b', () => {})`, 'after', 'no test with this title is in the file'],
    [
      `test(b, () => {}); test(c, () => {})`,
      'after',
      'its title is computed, and 2 tests of the file can have it',
    ],
    [`test.failing('a', () => {})`, 'after', 'it is marked as expected to fail'],
    [`test('a', function* () {})`, 'before', 'its function is a generator'],
    [`test('a', imported)`, 'before', 'its function cannot be found in the file'],
    [`test('a', () => { throw 1 })`, 'after', 'its last statement throws'],
    [`test('a', () => { expect(1).not.toBe(2) })`, 'value', 'no expected value'],
    [`test('a', () => { assert.ok(x); expect(x).toBeTruthy() })`, 'value', 'no expected value'],
    [`test('a', () => {`, 'value', 'the file cannot be parsed'],
  ]
  for (const [text, kind, why] of refused)
    it(`gives a reason: ${text}`, async () => {
      expect(await plant(text, ['a'], kind)).toEqual({
        text,
        planted: [],
        not: [{ id: 'it', why }],
      })
    })

  it('reads TypeScript with enums, types and tags', async () => {
    const text = `enum E { A = 1 }\nconst x = <T,>(y: T): T => y\ntest('a', async (): Promise<void> => { expect(x<E>(E.A)!).toBe(1 as E) })`
    for (const file of ['a.test.ts', 'a.test.tsx', 'a.test.mts'])
      expect((await plant(text, ['a'], 'value', file)).text).toContain('.toBe(1010)')
    expect(
      (
        await plant(
          `test('a', () => { expect(<b>1</b>).toEqual(<b>1</b>) })`,
          ['a'],
          'value',
          'a.jsx',
        )
      ).planted,
    ).toEqual(['it'])
  })

  it('survives hostile texts, outside of this thread', async () => {
    const texts = ['('.repeat(300_000), `test('a', () => { ${'!'.repeat(5000)}1 })`]
    for (const text of texts)
      expect(
        (await plantFailures({ file: 'a.ts', text, tests: [], kind: 'after', marker })).text,
      ).toBe(text)
    const good = `test('a', () => { expect(1).toBe(1) })`
    const request = { file: 'a.ts', text: good, tests: [{ id: 'it', titles: ['a'] }], marker }
    expect((await plantFailures({ ...request, kind: 'value' })).text).toContain('.toBe(1010)')
  })
})
