import { describe, expect, test } from 'vitest'
import { decidesComparisons, plantFailures } from './index.ts'
import type { ChangedFile } from './test-source.ts'

const restated = async (
  file: string,
  text: string,
  title: string,
  work: readonly ChangedFile[] = [],
): Promise<string> => {
  const tests = [{ id: 'x', titles: [title] }]
  return (await plantFailures({ file, text, tests, kind: 'restated', marker: 'm', work })).text
}

/** A file in which the work adds every line except those of `known`. */
const added = (path: string, text: string, known = ''): ChangedFile => {
  const old = new Set(known.split('\n'))
  const lines = text.split('\n').flatMap((line, at) => (old.has(line) ? [] : [at + 1]))
  return { path, text, lines: new Set(lines) }
}

const equality =
  'impl PartialEq<i64> for Total {\n    fn eq(&self, o: &i64) -> bool {\n        true\n    }\n}\n'

describe('Rust', () => {
  const inTest = (body: string): string => `#[test]\nfn a() {\n    ${body}\n}\n`
  const std = '#[allow(warnings)] extern crate std as m;'
  const fails = 'm::panic!("m");'

  test.each([
    [
      'assert_eq!(f(1), 3, "why");',
      `match (&(f(1)), &(3)) { (m_a, m_b) => if !(*m_a == *m_b) { ${fails} } }`,
    ],
    ['assert!(f(1) != 3);', `match (&(f(1)), &(3)) { (m_a, m_b) => if !(*m_a != *m_b)`],
    ['assert!(f(1) == 3 && g());', `{ ${fails} } } if !(g()) { ${fails} }`],
    ['assert!(matches!(f(), Ok(3)));', `if !(m::matches!(f(), Ok(3))) { ${fails} }`],
    ['assert!(a == 1 || b == 2);', `if !(a == 1 || b == 2) { ${fails} }`],
  ])('%s', async (body, expected) => {
    const text = await restated('tests/a.rs', inTest(body), 'a')
    expect(text).toContain(`else { ${std} `)
    expect(text).toContain(expected)
    // The original, in a branch that is not taken.
    expect(text).toContain(`m::convert::identity(false) } { ${body} } else {`)
  })

  test('values of types of the work must print the same if the work defines their equality', async () => {
    const body = inTest('assert_eq!(f(1), 3);')
    const print = 'impl std::fmt::Debug for Total {}\n'
    expect(await restated('tests/a.rs', body, 'a', [added('src/a.rs', equality)])).toContain(
      'm::format!("{:?}", a) == m::format!("{:?}", b)',
    )
    const own = await restated('tests/a.rs', body, 'a', [added('src/a.rs', equality + print)])
    expect(own).toContain('if own(x) || own(y) { false }')
    const others = [
      added('src/a.rs', `${equality}fn g() {}`, equality),
      added('src/b.rs', '#[derive(Debug, PartialEq)]\nstruct A;\nfn f<T: PartialEq>(a: T) {}\n'),
      added('src/c.rs', 'use std::cmp::PartialEq;\nfn f(a: impl PartialEq<u8>) {}\n'),
    ]
    expect(await restated('tests/a.rs', body, 'a', others)).not.toContain('m_same')
    expect(decidesComparisons(others)).toBe(false)
  })

  test.each([
    'macro_rules! assert_eq { ($a:expr, $b:expr) => {}; }',
    'define!(assert_eq);',
    'extern crate other as std;',
    'pub use crate::check as assert_ne;',
    'implement!(PartialEq, Total);',
    '#[derivative(PartialEq(compare_with = "same"))]',
    'use std::cmp::PartialEq as Same;',
  ])('the work may decide comparisons: %s', (line) => {
    expect(decidesComparisons([added('src/a.rs', `${line}\n`)])).toBe(true)
    expect(decidesComparisons([added('src/a.rs', `// ${line}\n`)])).toBe(false)
  })

  test('restates functions that a test calls, but not those of the product', async () => {
    const helper = 'fn check(a: i64) {\n    assert_eq!(a, 3);\n}\n'
    const text = `${helper}fn other() {\n    assert!(true);\n}\n${inTest('check(f());')}`
    const found = await restated('tests/a.rs', text, 'a')
    expect(found).toContain('match (&(a), &(3))')
    expect(found).toContain('{\n    assert!(true);\n}')
    const inline = `fn check(a: i64) {\n    assert_eq!(a, 3);\n}\nmod tests {\n${inTest('check(1); assert!(f());')}}\n`
    expect(await restated('src/a.rs', inline, 'tests::a')).toContain(helper)
  })

  test('leaves tests that must panic unchanged', async () => {
    const text = `#[should_panic]\n${inTest('assert_eq!(1, 2);')}`
    expect(await restated('tests/a.rs', text, 'a')).toBe(text)
  })
})

describe('Go', () => {
  const inTest = (body: string): string => `package a\n\nfunc TestA(t *testing.T) {\n\t${body}\n}\n`

  test.each([
    ['if got != 3 {\n\t\tt.Errorf("%d", got)\n\t}', 't.Fatal("m"); t.Errorf('],
    ['if ok {\n\t\tf()\n\t} else {\n\t\tt.Log(1)\n\t\tt.FailNow()\n\t}', 't.Fatal("m"); t.Log(1)'],
  ])('%s', async (body, expected) => {
    expect(await restated('a_test.go', inTest(body), 'TestA')).toContain(expected)
  })

  test('leaves code that does not end in a failure unchanged', async () => {
    const text = inTest('if got != 3 {\n\t\tt.Log("x")\n\t}\n\tif x {\n\t\tf()\n\t}')
    expect(await restated('a_test.go', text, 'TestA')).toBe(text)
  })

  test.each([
    'func len(v []int) int { return 3 }',
    'var (\n\tx   = 1\n\tlen = x\n)',
    'const a, len = 1, 2',
  ])('fails a test that uses a predeclared name that the work redeclares: %s', async (code) => {
    const work = [added('a.go', `package a\n\n${code}\n`)]
    const text = inTest('if len(f()) != 3 {\n\t\tt.Error()\n\t}')
    expect(await restated('a_test.go', text, 'TestA', work)).toContain(
      't.Fatal("m: the work declares len',
    )
    const other = inTest('if x.len() != 3 {\n\t\tt.Error()\n\t}')
    expect(await restated('a_test.go', other, 'TestA', work)).not.toContain('declares')
  })

  test('methods, parameters and local variables declare nothing for a package', () => {
    const text =
      'package a\n\nfunc (s S) len() int {\n\tcap := 3\n\treturn cap\n}\n\nfunc f(new int) {}\n'
    expect(decidesComparisons([added('a.go', text)])).toBe(false)
  })

  test('requires the same JSON where reflect.DeepEqual is true', async () => {
    const text = inTest('if !reflect.DeepEqual(f(), []int{1}) {\n\t\tt.Error()\n\t}')
    const found = await restated('a_test.go', text, 'TestA')
    expect(found).toContain('package a; import m "encoding/json"\n')
    expect(found).toContain('string(x) == string(y)) }(f(), []int{1}) {')
  })

  test('fails a test that passes its *testing.T to a function of the work', async () => {
    const text = inTest('check.Same(t, f(), 3)\n\tif x {\n\t\tt.Error()\n\t}')
    const helper = 'package check\n\nfunc Same(t *testing.T, got, want int) {\n}\n'
    const known = await restated('a_test.go', text, 'TestA', [added('c.go', helper, helper)])
    expect(known).not.toContain('code of the work')
    expect(await restated('a_test.go', text, 'TestA', [added('c.go', helper)])).toContain(
      'Same, which checks for this test, is code of the work',
    )
  })

  test('fails a test with go-cmp if the work defines Equal methods', async () => {
    const text = inTest('if d := cmp.Diff(a, b); d != "" {\n\t\tt.Error(d)\n\t}')
    const work = [added('a.go', 'package a\n\nfunc (t T) Equal(o T) bool { return true }\n')]
    expect(await restated('a_test.go', text, 'TestA', work)).toContain('method Equal')
    expect(await restated('a_test.go', text, 'TestA')).not.toContain('method Equal')
  })
})
