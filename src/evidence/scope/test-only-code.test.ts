import { describe, expect, test } from 'vitest'
import { findChangedTestCode } from './test-only-code.ts'

const rust = (around: string, add = 'numbers.iter().sum()'): string =>
  `pub fn add(numbers: &[i64]) -> i64 {\n    ${add}\n}\n\n${around}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        assert_eq!(add(&[5]), EXPECTED);\n    }\n}\n`
const constant = (value: number): string => `const EXPECTED: i64 = ${value};`

const script = (around: string, sum = 'list.length'): string =>
  `export function sum(list) {\n  return ${sum}\n}\n\n${around}\n\nif (import.meta.vitest) {\n  const { expect, test } = import.meta.vitest\n  test('one', () => expect(sum([5])).toBe(expected))\n}\n`

describe('code that only tests inside product files use', () => {
  test('is found when it changes', () => {
    expect(findChangedTestCode('src/lib.rs', rust(constant(5)), rust(constant(0)), [])).toBe(
      'EXPECTED',
    )
    expect(
      findChangedTestCode(
        'src/sum.js',
        script('const expected = 5'),
        script('const expected = 0'),
        [],
      ),
    ).toBe('expected')
    expect(
      findChangedTestCode(
        'src/a.ts',
        script('export const expected = 5'),
        script('let other = 0'),
        [],
      ),
    ).toBe('expected')
  })

  test('is found where tests in another file of the crate use it', () => {
    const limits = 'pub const EXPECTED: i64 = 5;\n'
    const changed = limits.replace('5', '0')
    expect(findChangedTestCode('src/limits.rs', limits, changed, [rust('')])).toBe('EXPECTED')
  })

  test('is not code that the product uses as well', () => {
    const used = 'numbers.len() as i64 * EXPECTED'
    expect(
      findChangedTestCode('src/lib.rs', rust(constant(5), used), rust(constant(0), used), []),
    ).toBeUndefined()
    const other = 'pub fn limit() -> i64 {\n    crate::EXPECTED\n}\n'
    expect(
      findChangedTestCode('src/lib.rs', rust(constant(5)), rust(constant(0)), [other]),
    ).toBeUndefined()
  })

  test('is not the code under test, nor code without tests beside it', () => {
    const same = constant(5)
    expect(
      findChangedTestCode('src/lib.rs', rust(same), rust(same, 'numbers.iter().skip(0).sum()'), []),
    ).toBeUndefined()
    expect(
      findChangedTestCode('src/sum.js', 'const limit = 5\n', 'const limit = 6\n', []),
    ).toBeUndefined()
  })
})
