import { describe, expect, test } from 'vitest'
import { codesOf, createWorld, runTests } from './certify-world.ts'

const file = 'src/sum.js'

/** Runs the tests inside `src/sum.js`, as vitest does with `includeSource`. */
function runInline(files: Parameters<typeof runTests>[0]): ReturnType<typeof runTests> {
  const text = (files[file] ?? '').replaceAll('import.meta.vitest', 'true')
  const { tests = [], result } = runTests({ 'inline.test.js': text })
  const inSource = tests.map((one) => ({
    ...one,
    file,
    id: one.id.replace('inline.test.js', file),
  }))
  return { tests: inSource, result, read: Object.keys(files) }
}

const source = (
  code: string,
  expected: number,
  more = '',
): { readonly [path: string]: string } => ({
  'package.json': '{ "main": "src/sum.js", "scripts": { "test": "vitest run" } }',
  [file]: `export let sum = (a, b) => ${code}

if (import.meta.vitest) {
  const expected = ${expected}
${more}  test('adds two', () => {
    assert.equal(sum(1, 2), expected)
  })
}
`,
})

describe('tests inside a product file', () => {
  const base = source('a - b', 3)
  const certify = async (files: typeof base): Promise<readonly string[] | string> => {
    const world = createWorld({
      checks: { test: { observes: runInline } },
      parts: { changes: 'refuse' },
    })
    return codesOf(await world.certify(files, {}, {}, base))
  }

  test('are not the work, and the code around them is', async () => {
    expect(await certify(source('a + b', 3))).toBe('certified')
  })

  test('cannot expect what the code does', async () => {
    expect(await certify(source('a - b', -1))).toEqual(['sealed-failed'])
    expect(await certify(source('a + b', 3, '  globalThis.more = 1\n'))).toEqual(['sealed-failed'])
  })

  test('may be added, and do not count when the work runs alone', async () => {
    const more = "  test('adds none', () => {\n    assert.equal(sum(2, 0), 2)\n  })\n"
    expect(await certify(source('a + b', 3, more))).toBe('certified')
    const mending = "  test('mends', () => {\n    sum = (a, b) => a + b\n  })\n"
    expect(await certify(source('a - b', 3, mending))).toContain('sealed-failed')
  })
})
