import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyedRules } from './keyed-rules.ts'
import { compareKeyed } from './keyed-texts.ts'

const rule = keyedRules.find(({ files }) => files.includes('package.json'))
const value = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.boolean(),
  fc.array(fc.constantFrom('a', '!a', 'b')),
)
const names = fc.constantFrom('test', 'pretest', 'lint', 'dev', '__proto__', 'constructor', 'a.b')
const table = fc.oneof(
  value,
  fc.array(fc.tuple(names, value)).map((pairs) => Object.fromEntries(pairs)),
)
const manifest = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'scripts',
        'config',
        'jest',
        'workspaces',
        'dependencies',
        'name',
        'exports',
        '__proto__',
      ),
      table,
    ),
  )
  .map((pairs) => JSON.stringify(Object.fromEntries(pairs)))

test('with the base put in nothing sealed differs, and what is free is as it was', () => {
  fc.assert(
    fc.property(manifest, manifest, (before, after) => {
      if (rule === undefined) throw new Error('there is no rule for package.json')
      const compared = compareKeyed(rule, before, after)
      const merged = compared?.merged ?? ''
      expect(compareKeyed(rule, before, merged)?.differences).toEqual([])
      const free = (text: string): unknown => {
        const { name, exports } = JSON.parse(text) as { name?: unknown; exports?: unknown }
        return { name, exports }
      }
      expect(free(merged)).toEqual(free(after))
    }),
  )
})

test('TOML and INI of any kind are read or not, and put together so that nothing sealed differs', () => {
  const line = fc.constantFrom(
    '[tool.pytest]',
    '[tool.pytest.ini_options]',
    '[tool]',
    '[project]',
    '[[test]]',
    '[other]',
    'a = 1',
    'addopts = "x"',
    'pytest.a = 2',
    'tool.ruff.b = [',
    ']',
    'c = """',
    '"""',
    '# comment',
    '',
    '  d',
    "'q' = '\\'",
    'tool = { ruff = {} }',
    '[tool:pytest]',
    '[flake8]',
    'e: 1',
    '\t',
    '=',
    '"\\u0074" = 1',
  )
  const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'))
  const files = keyedRules.filter(({ format }) => format === 'toml' || format === 'ini')
  fc.assert(
    fc.property(text, text, fc.constantFrom(...files), (before, after, keyed) => {
      const compared = compareKeyed(keyed, before, after)
      if (compared === undefined) return
      expect(compareKeyed(keyed, before, compared.merged)?.differences).toEqual([])
    }),
    { numRuns: 500 },
  )
})
