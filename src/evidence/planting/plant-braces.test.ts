import { describe, expect, it } from 'vitest'
import { compareTestFiles } from './compare-test-files.ts'
import { type Planted, plantFailures } from './plant-failures.ts'
import { testRegions } from './test-regions.ts'
import type { PlantKind } from './test-source.ts'

const marker = 'planted-4711'

const plant = (
  file: string,
  text: string,
  kind: PlantKind,
  titles: readonly string[],
): Promise<Planted> => plantFailures({ file, text, tests: [{ id: 'it', titles }], kind, marker })

type Case = readonly [kind: PlantKind, before: string, after: string]

describe('planting in Go', () => {
  const fatal = `t.Fatal("${marker}")`
  const cases: readonly Case[] = [
    ['before', 'x := 1\n\tf(x) // }', `x := 1\n\t${fatal}; f(x) // }`],
    [
      'after',
      'if x {\n\t\tf()\n\t} else {\n\t\tg()\n\t}',
      `if x {\n\t\tf()\n\t} else {\n\t\tg()\n\t}; ${fatal}`,
    ],
    ['before', 'x()\n\tf(\n\t\t1,\n\t)', `x()\n\t${fatal}; f(\n\t\t1,\n\t)`],
    ['after', 'if x { return }\n\tf()', `if x { ${fatal}; return }\n\tf(); ${fatal}`],
    ['after', 'g(func() {\n\t\treturn\n\t})', `g(func() {\n\t\treturn\n\t}); ${fatal}`],
    [
      'value',
      'if got := f(); got != 3 {\n\t\tt.Error(got)\n\t}',
      'if got := f(); got != 40 {\n\t\tt.Error(got)\n\t}',
    ],
    [
      'value',
      'want := "a"\n\tif f() != want {\n\t\tt.Error()\n\t}',
      `want := "a ${marker}"\n\tif f() != want {\n\t\tt.Error()\n\t}`,
    ],
    ['value', 'assert.Equal(t, x, f())', `assert.Equal(t, []interface{}{x, "${marker}"}, f())`],
    ['value', 'checkOutput(t, f(), "a")', `checkOutput(t, f(), "a ${marker}")`],
  ]
  for (const [kind, before, after] of cases)
    it(`${kind}: ${before}`, async () => {
      const text = `package a\n\nfunc TestA(t *testing.T) {\n\t${before}\n}\n`
      expect((await plant('a_test.go', text, kind, ['TestA'])).text).toBe(
        text.replace(before, () => after),
      )
    })

  const table = `package a

func TestA(t *testing.T) {
	for _, tt := range []struct{ name string; want int }{{name: "x y", want: 3}, {name: "z", want: 4}} {
		t.Run(tt.name, func(t *testing.T) {
			if f() != tt.want {
				t.Error("no")
			}
		})
	}
	t.Run("a b", func(u *testing.T) {})
}
`
  const compared: readonly (readonly [before: string, after: string])[] = [
    [
      'expected := []string{"a", "b"}\n\tfor i, v := range f() {\n\t\tif expected[i] != v {\n\t\t\tt.Fatalf("no %s", v)\n\t\t}\n\t}',
      `expected := []string{"a", "b ${marker}"}\n\tfor i, v := range f() {\n\t\tif expected[i] != v {\n\t\t\tt.Fatalf("no %s", v)\n\t\t}\n\t}`,
    ],
    ['if 3 != f(1) {\n\t\tt.Fatal()\n\t}', 'if 40 != f(1) {\n\t\tt.Fatal()\n\t}'],
    [
      'want, got := 3, f(1)\n\texp := 3\n\tif exp != got {\n\t\tt.Fatal()\n\t}',
      'want, got := 3, f(1)\n\texp := 40\n\tif exp != got {\n\t\tt.Fatal()\n\t}',
    ],
  ]
  for (const [before, after] of compared)
    it(`changes the expected value on either side: ${before.split('\n', 1)[0]}`, async () => {
      const whole = (body: string): string =>
        `package a\n\nfunc TestA(t *testing.T) {\n\t${body}\n}\n`
      const planted = await plant('a_test.go', whole(before), 'value', ['TestA'])
      expect(planted.text).toBe(whole(after))
    })

  it('finds subtests, and lets them run if their parent fails', async () => {
    expect((await plant('a_test.go', table, 'after', ['TestA/a_b'])).text).toContain(
      `{ u.Fatal("${marker}") }`,
    )
    expect((await plant('a_test.go', table, 'before', ['TestA', 'x_y'])).text).toContain(
      `${fatal}; if f()`,
    )
    expect((await plant('a_test.go', table, 'after', ['TestA'])).text).toContain(
      `}); t.Error("${marker}")`,
    )
    expect((await plant('a_test.go', table, 'value', ['TestA/z'])).text).toContain(
      'want: 40}, {name: "z", want: 41}',
    )
  })
})

describe('planting in Rust', () => {
  const panics = `if std::convert::identity(true) { panic!("${marker}"); }`
  const cases: readonly Case[] = [
    [
      'before',
      `let x: &'static str = "}";\n        f(x);`,
      `let x: &'static str = "}";\n        ${panics} f(x);`,
    ],
    ['after', 'assert_eq!(1, 1)', `assert_eq!(1, 1); ${panics}`],
    [
      'after',
      'for x in y {\n            f(x);\n        }',
      `for x in y {\n            f(x);\n        } ${panics}`,
    ],
    ['before', 'let x = y\n            .f();', `${panics} let x = y\n            .f();`],
    ['value', 'assert_eq!(f(1), 3u8, "m");', 'assert_eq!(f(1), 40u8, "m");'],
    [
      'value',
      'assert_eq!(f(r#"""#), vec![Some("a")]);',
      `assert_eq!(f(r#"""#), vec![Some("a ${marker}")]);`,
    ],
    ['value', 'assert!(f(1) == true);', 'assert!(f(1) == false);'],
  ]
  const wrap = (body: string): string =>
    `fn f() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        ${body}\n    }\n}\n`
  for (const [kind, before, after] of cases)
    it(`${kind}: ${before}`, async () => {
      const planted = await plant('src/a.rs', wrap(before), kind, ['a::tests::a'])
      expect(planted.text).toBe(wrap(after))
    })

  it('plants before the result, and gives reasons', async () => {
    const text = '#[tokio::test]\nasync fn a() -> Result<(), E> {\n    f()?;\n    Ok(())\n}\n'
    expect((await plant('tests/a.rs', text, 'after', ['a'])).text).toContain(
      `f()?; ${panics}\n    Ok(())`,
    )
    const reasons = [
      await plant('a.rs', `#[should_panic(expected = "x")]\n${text}`, 'after', ['a']),
      await plant('a.rs', text.replace(/f\(\)\?;\s*Ok\(\(\)\)/, 'g()'), 'after', ['a']),
      await plant('a.rs', text, 'value', ['a']),
      await plant('a.rs', 'fn a() {}', 'value', ['a']),
    ]
    expect(reasons.map((one) => one.not[0]?.why)).toEqual([
      'it is marked as expected to fail',
      'its last expression is its result',
      'no expected value',
      'no test with this title is in the file',
    ])
  })

  it('finds the regions of tests in product files, and compares versions', async () => {
    const text = wrap('f();')
    const regions = (await testRegions('src/a.rs', text)) ?? []
    expect(regions.map((one) => one.titles)).toEqual([[], ['tests', 'a']])
    expect(text.slice(regions[0]?.start, regions[0]?.end)).toBe(
      text.slice(text.indexOf('#[cfg'), -1),
    )
    const more = text.replace('    #[test]', '    #[test]\n    fn b() {}\n    #[test]')
    expect(await compareTestFiles('src/a.rs', text, more)).toMatchObject({
      onlyAdds: true,
      added: [['tests', 'b']],
    })
    expect(
      await compareTestFiles('src/a.rs', text, text.replace('fn f() {}', 'fn f() { g() }')),
    ).toMatchObject({ outside: true })
    expect(
      await compareTestFiles('src/a.rs', text, text.replace('#[test]', '#[test]\n#[ignore]')),
    ).toMatchObject({ onlyAdds: false })
  })
})
