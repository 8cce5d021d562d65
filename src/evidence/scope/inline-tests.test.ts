import { describe, expect, test } from 'vitest'
import { compareTestFiles } from '../planting/index.ts'
import { inlineTests, keepsInlineTests, withoutAddedTests } from './inline-tests.ts'

const onlyAdds = async (path: string, before: string, after: string): Promise<boolean> =>
  (await compareTestFiles(path, before, after))?.onlyAdds === true

const keeps = (path: string, before: string, after: string): Promise<boolean> =>
  keepsInlineTests(path, inlineTests(path, before), inlineTests(path, after), onlyAdds)

const rust = `pub fn add() {}

#[cfg(test)] mod tests {
    use super::*;
    #[test]
    fn one() { assert_eq!(add(), EXPECTED) }
    const EXPECTED: i32 = 5;
}
`
const script = `export function sum() {}

if (import.meta.vitest) {
  const { expect, test } = import.meta.vitest
  const expected = 5
  test('one', () => expect(sum([5])).toBe(expected))
}
`
const python = `def add():
    """Adds.

    >>> add([5])
    5

    >>> add([1])
    1
    """
`
const documented = `/// Adds.
///
/// \`\`\`
/// assert_eq!(add(), 5);
/// \`\`\`
pub fn add() {}
`
const macro = `macro_rules! case { ($n:ident, $e:expr) => { #[test] fn $n() { assert_eq!(add(), $e) } } }
case!(one, 5);
`
const switched = `pub fn add() {}
`

type Row = readonly [what: string, path: string, before: string, from: string, to: string]

describe('inline tests', () => {
  const kept: readonly Row[] = [
    ['code around a block', 'a.js', script, 'sum() {}', 'sum() { return 5 }'],
    ['a test added to a block', 'a.js', script, '\n}\n', "\n  test('two', () => {})\n}\n"],
    ['a new block', 'b.js', '', '', script],
    ['line endings', 'a.js', script, script, script.replaceAll('\n', '\r\n')],
    ['code around a module', 'a.rs', rust, 'add() {}', 'add() { 5 }'],
    [
      'a test added to a module',
      'a.rs',
      rust,
      '    const',
      '    #[test]\n    fn b() {}\n    const',
    ],
    ['a new module', 'b.rs', '', '', rust],
    ['text around an example in Rust', 'a.rs', documented, 'Adds.', 'Adds them up.'],
    ['an example added in Rust', 'a.rs', documented, 'pub', '/// ```\n/// add();\n/// ```\npub'],
    ['text around an example in Python', 'a.py', python, 'Adds.', 'Adds them up.'],
    ['an example added at the end', 'a.py', python, '    1\n', '    1\n    >>> add([])\n    0\n'],
  ]
  test.each(kept)('are kept: %s', async (_what, path, before, from, to) => {
    const after = before.replace(from, () => to)
    expect(await keeps(path, before, after)).toBe(true)
  })

  const changed: readonly Row[] = [
    ['an expectation in a block', 'a.js', script, 'toBe(expected)', 'toBe(0)'],
    ['a value beside tests in a block', 'a.js', script, 'expected = 5', 'expected = 0'],
    ['code added to a block', 'a.js', script, '\n}\n', '\n  globalThis.x = 1\n}\n'],
    ['a removed block', 'a.js', script, script, 'export function sum() {}'],
    ['a block under another condition', 'a.js', script, 'vitest) {', 'vitest && false) {'],
    ['code that sees its tests', 'a.js', script, 'sum() {}', 'sum() { return import.meta.vitest }'],
    ['an expectation in a module', 'a.rs', rust, 'add(), EXPECTED', 'add(), 0'],
    ['a value beside tests in a module', 'a.rs', rust, 'i32 = 5', 'i32 = 0'],
    ['an ignored test', 'a.rs', rust, '#[test]\n', '#[test]\n    #[ignore]\n'],
    ['a function only for tests', 'a.rs', switched, 'pub', '#[cfg(test)]\nfn b() {}\npub'],
    ['a switch over several lines', 'a.rs', switched, 'pub', '#[cfg(\n  not(test)\n)]\npub'],
    ['arguments of a macro that writes tests', 'a.rs', macro, 'one, 5', 'one, 0'],
    ['an example in Rust', 'a.rs', documented, 'add(), 5', 'add(), 0'],
    ['an example in Python', 'a.py', python, '    5\n', '    0\n'],
    [
      'an example added before others',
      'a.py',
      python,
      '    >>> add([5',
      '    >>> add = sum\n    >>> add([5',
    ],
  ]
  test.each(changed)('are changed: %s', async (_what, path, before, from, to) => {
    const after = before.replace(from, () => to)
    expect(after).not.toBe(before)
    expect(await keeps(path, before, after)).toBe(false)
  })

  test.each([
    ['indented', '/// Adds.\n///\n///     assert_eq!(add(), 5);\nfn add() {}'],
    [
      'in a block comment',
      '/**\n * Adds.\n * ```\n * assert_eq!(add(), 5);\n * ```\n */\nfn add() {}',
    ],
    ['in an attribute', '#[doc = "```\\nassert_eq!(add(), 5);\\n```"]\nfn add() {}'],
  ])('an example in Rust is found %s', async (_how, before) => {
    expect(await keeps('a.rs', before, before.replace('5);', '0);'))).toBe(false)
    expect(await keeps('a.rs', before, before.replace('add() {}', 'add() { 5 }'))).toBe(true)
  })

  test('those that the work adds are taken back, and its code stays', async () => {
    const fixed = script.replace('sum() {}', 'sum() { return 5 }')
    const more = fixed.replace('\n}\n', "\n  test('two', () => { sum = () => 5 })\n}\n")
    expect(await withoutAddedTests('a.js', script, more, onlyAdds)).toBe(fixed)
    const plain = 'export let sum = 1\n'
    const mending = `${plain}if (import.meta.vitest) { sum = 2 }\n`
    expect(await withoutAddedTests('a.js', plain, mending, onlyAdds)).toBe(`${plain}\n`)
    expect(await withoutAddedTests('a.js', script, fixed, onlyAdds)).toBe(fixed)
  })
})
