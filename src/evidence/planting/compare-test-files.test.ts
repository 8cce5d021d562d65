import { describe, expect, it } from 'vitest'
import { compareTestFiles } from './compare-test-files.ts'
import { withHarmlessComment } from './harmless-comment.ts'
import { parseHere } from './script/parse-here.ts'
import { readScriptWith } from './script/read-script.ts'
import { testRegions } from './test-regions.ts'

const read = readScriptWith(parseHere)

const a = `test('a', () => { expect(1).toBe(1) })`
const b = `test('b', () => { expect(2).toBe(2) })`
const suite = (...tests: readonly string[]): string =>
  `describe('s', () => {\n${tests.join('\n')}\n})`

describe('comparing test files', () => {
  const cases: readonly (readonly [
    what: string,
    before: string,
    after: string,
    changes: object,
  ])[] = [
    ['the same', a, `${a}\n`, { onlyAdds: true, added: [] }],
    ['an added test', a, `${a}\n${b}`, { onlyAdds: true, added: [['b']] }],
    [
      'a test and an import before others',
      b,
      `import x from 'x'\n${a}\n${b}`,
      { onlyAdds: true, added: [['a']] },
    ],
    ['a test in a suite', suite(a), suite(a, b), { onlyAdds: true, added: [['s', 'b']] }],
    [
      'a suite',
      a,
      `${a}\n${suite(a, b)}`,
      {
        onlyAdds: true,
        added: [
          ['s', 'a'],
          ['s', 'b'],
        ],
      },
    ],
    [
      'a changed test',
      a,
      a.replace('toBe(1)', 'toBe(2)'),
      { onlyAdds: false, changed: [['a']], outside: false },
    ],
    [
      'a removed test',
      suite(a, b),
      suite(b),
      { onlyAdds: false, removed: [['s', 'a']], outside: false },
    ],
    ['a skipped test', a, a.replace('test(', 'test.skip('), { onlyAdds: false, changed: [['a']] }],
    [
      'a skipped suite',
      suite(a),
      suite(a).replace('describe(', 'describe.skip('),
      { onlyAdds: false, changed: [['s', 'a']] },
    ],
    ['added code', a, `globalThis.expect = 1\n${a}`, { onlyAdds: false, outside: true }],
    [
      'a hook in a suite',
      suite(a),
      suite(`beforeEach(() => {})`, a),
      { onlyAdds: false, outside: true },
    ],
    [
      'a changed helper',
      `const x = 1\n${a}`,
      `const x = 2\n${a}`,
      { onlyAdds: false, outside: true },
    ],
    ['another order', `${a}\n${b}`, `${b}\n${a}`, { onlyAdds: false }],
  ]
  for (const [what, before, after, changes] of cases)
    it(`finds ${what}`, async () => {
      expect(await compareTestFiles('a.test.ts', before, after, read)).toMatchObject(changes)
    })

  it('has no result if a text cannot be parsed', async () => {
    expect(await compareTestFiles('a.test.ts', a, '(', read)).toBeUndefined()
    expect(await compareTestFiles('a.txt', a, a)).toBeUndefined()
  })
})

describe('the regions of tests', () => {
  it('include every test, its suites, and blocks inside product code', async () => {
    const text = `export const x = 1\nif (import.meta.vitest) {\n${suite(a)}\n}\n`
    const regions = (await testRegions('x.ts', text, read)) ?? []
    expect(regions.map((one) => one.titles)).toEqual([[], ['s'], ['s', 'a']])
    expect(regions.map((one) => text.slice(one.start, one.start + 4))).toEqual([
      'if (',
      'desc',
      'test',
    ])
    expect(text.slice(regions[2]?.start, regions[2]?.end)).toBe(a)
  })
})

describe('a harmless comment', () => {
  it('is appended in the syntax of the language', () => {
    expect(withHarmlessComment('a.py', 'x = 1\n')).toBe('x = 1\n# End of file.\n')
    expect(withHarmlessComment('a.txt', 'x\n')).toBeUndefined()
  })
})
