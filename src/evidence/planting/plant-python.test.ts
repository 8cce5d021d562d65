import { describe, expect, it } from 'vitest'
import { compareTestFiles } from './compare-test-files.ts'
import { type Planted, plantFailures } from './plant-failures.ts'
import { testRegions } from './test-regions.ts'
import type { PlantKind } from './test-source.ts'

const marker = 'planted-4711'
const file = 'test_a.py'

const plant = (text: string, kind: PlantKind, titles = ['test_a']): Promise<Planted> =>
  plantFailures({ file, text, tests: [{ id: 'it', titles }], kind, marker })

const raise = `raise AssertionError("${marker}")`

describe('planting in Python', () => {
  const throws: readonly (readonly [
    what: string,
    kind: PlantKind,
    before: string,
    after: string,
  ])[] = [
    ['a statement', 'before', 'x = 1\n    assert x', `x = 1\n    ${raise}\n    assert x`],
    ['a statement with a comment', 'after', 'assert x  # a', `assert x\n    ${raise}  # a`],
    ['lines in brackets', 'after', 'f(\n1,\n)', `f(\n1,\n)\n    ${raise}`],
    [
      'a block',
      'before',
      'x = 1\n    with y:\n        a()\n',
      `x = 1\n    ${raise}\n    with y:\n        a()\n`,
    ],
    [
      'a block with other branches',
      'before',
      'if y:\n        a()\n    else:\n        b()',
      `${raise}\n    if y:\n        a()\n    else:\n        b()`,
    ],
    [
      'a block',
      'after',
      'for x in y:\n        a()\n\n',
      `for x in y:\n        a()\n    ${raise}\n\n`,
    ],
    [
      'an early return',
      'after',
      'if x: return\n    a()',
      `if x: ${raise}; return\n    a()\n    ${raise}`,
    ],
    ['a last return', 'after', 'return f(1)', `_ = f(1); ${raise}`],
    [
      'a string over lines',
      'before',
      'x = """\nreturn\n"""\n    y()',
      `x = """\nreturn\n"""\n    ${raise}\n    y()`,
    ],
  ]
  for (const [what, kind, before, after] of throws)
    it(`raises ${kind} ${what}`, async () => {
      for (const head of ['def test_a():\n    ', '@x\nasync def test_a(y, z=1):\n    '])
        expect((await plant(`${head}${before}`, kind)).text).toBe(`${head}${after}`)
    })

  const values: readonly (readonly [before: string, after: string])[] = [
    ['assert x == 3', 'assert x == 1012'],
    [`assert x == 'a', "b"`, `assert x == 'a ${marker}', "b"`],
    ['assert x.y(1 == 2) == b"a"', `assert x.y(1 == 2) == b"a ${marker}"`],
    ['assert x == [1]', `assert x == [*[1], "${marker}"]`],
    ['assert x == y(1)', `assert x == "${marker}"`],
    ['assert x is True', 'assert x is False'],
    ['assert a and b == 0', 'assert a and b == 1009'],
    ['assert x in y', `assert "${marker}" in y`],
    ['self.assertIn(2, x)', `self.assertIn("${marker}", x)`],
    ['assert x > 3', 'assert x > float("nan")'],
    ['assert x == pytest.approx(0.3)', `assert x == "${marker}"`],
    ['self.assertEqual(f(1), 0.5, "m")', 'self.assertEqual(f(1), 1009.5, "m")'],
    [
      'with pytest.raises(E, match="x"):\n        f()',
      `with pytest.raises(E, match="${marker}"):\n        f()`,
    ],
    [
      'with pytest.raises(E):\n        f()',
      'with pytest.raises(type("Other", (Exception,), {})):\n        f()',
    ],
    ['if x != 3:\n        raise E', 'if x != 1012:\n        raise E'],
    [
      'assert x == 1\n    if y:\n        assert x == 2',
      'assert x == 1010\n    if y:\n        assert x == 2',
    ],
    [
      'if y:\n        with z:\n            assert x == 1\n    else:\n        assert x == 2',
      'if y:\n        with z:\n            assert x == 1010\n    else:\n        assert x == 1011',
    ],
  ]
  for (const [before, after] of values)
    it(`changes the expected value: ${before}`, async () => {
      const text = `class TestB:\n  def test_a(self):\n    ${before}\n`
      expect((await plant(text, 'value', ['TestB', 'test_a'])).text).toBe(
        text.replace(before, () => after),
      )
    })

  it('plants in all parameters at once, and gives reasons if it cannot', async () => {
    const text = '@pytest.mark.parametrize("x", [1, 2])\ndef test_a(x):\n    assert x == x\n'
    expect((await plant(text, 'before', ['test_a[1]'])).planted).toEqual(['it'])
    const reasons = [
      await plant(`@pytest.mark.xfail\n${text}`, 'before'),
      await plant('def test_a(): pass\n', 'before'),
      await plant(
        'def test_a():\n    assert x\n    assert x != 1\n    assert not x == 1\n',
        'value',
      ),
      await plant('def test_a():\n    f((\n', 'value'),
    ]
    expect(reasons.map((one) => one.not[0]?.why)).toEqual([
      'it is marked as expected to fail',
      'its body is on the line of its name',
      'no expected value',
      'the file cannot be parsed',
    ])
  })

  it('compares two versions', async () => {
    const [a, b] = ['a', 'b'].map((name) => `    def test_${name}(self):\n        assert 1\n`)
    const suite = `import x\n\nclass TestC:\n${a}`
    const changes = async (after: string) => compareTestFiles(file, suite, after)
    expect(await changes(`${suite}\n${b}`)).toMatchObject({
      onlyAdds: true,
      added: [['TestC', 'test_b']],
    })
    expect(await changes(`import y\n${suite}`)).toMatchObject({ onlyAdds: true })
    expect(await changes(suite.replace('assert 1', 'assert 2'))).toMatchObject({
      onlyAdds: false,
      changed: [['TestC', 'test_a']],
    })
    expect(await changes(suite.replace('TestC:', 'TestC:\n    x = 1'))).toMatchObject({
      outside: true,
    })
    expect(await changes(suite.replace('class', '@pytest.mark.skip\nclass'))).toMatchObject({
      onlyAdds: false,
    })
  })

  it('finds the regions of doctests', async () => {
    const text = 'def f():\n    """A.\n\n    >>> f()\n    1\n    """\n    return 1\n'
    const [region] = (await testRegions('f.py', text)) ?? []
    expect(text.slice(region?.start, region?.end)).toBe('    >>> f()\n    1')
  })
})
