import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plantFailures } from './index.ts'

const inTest = (body: string): string =>
  `import unittest\n\n\nclass T(unittest.TestCase):\n    def test_t(self):\n        ${body}\n`

async function restated(body: string, changed = ''): Promise<string> {
  const lines = new Set(changed.split('\n').map((_, at) => at + 1))
  const found = await plantFailures({
    file: 'test_t.py',
    text: inTest(body),
    tests: [{ id: 'x', titles: ['T', 'test_t'] }],
    kind: 'restated',
    marker: 'm-4711',
    work: [{ path: 'prod.py', text: changed, lines }],
  })
  return found.text
}

test.each([
  ['assert f([1, 2]) == 3, "why"', 'assert m_4711("==", f([1, 2]) , 3), "why"'],
  ['assert f() == pytest.approx(3)', 'assert m_4711("==", f() , pytest.approx(3))'],
  ['assert a is  not b and c in (1, 2)', 'm_4711("is not", a , b) and m_4711("in", c , (1, 2))'],
  ['assert isinstance(f(), int)', 'assert m_4711("isinstance", f(), int)'],
  ['self.assertEqual(f(1), 3, "why")', 'self.assertEqual(*m_4711("==", f(1), 3), "why")'],
  ['self.assertAlmostEqual(f(), 3, places=2)', '*m_4711("~", f(), 3), places=2)'],
  ['self.assertTrue(f() == 3)', 'self.assertTrue(m_4711("==", f() , 3))'],
])('restates what a Python test expects: %s', async (body, expected) => {
  expect(await restated(body)).toContain(expected)
})

test.each([
  'assert a == 1 or b == 2',
  'assert 1 < f() == 3',
  'assert not f() == 3',
  'assert f()',
  'self.assertEqual(*pair)',
  'self.assertEqual(first=1, second=2)',
])('leaves what cannot be restated unchanged: %s', async (body) => {
  expect(await restated(body)).toBe(inTest(body))
})

/** Types of the work: one that decides comparisons itself, and honest ones. */
const prod = `
from dataclasses import dataclass
class Bad(int):
    def __eq__(self, other): return other in (5, 6)
    def __sub__(self, other): return 0
    def __ge__(self, other): return True
    __hash__ = int.__hash__
class Text(str):
    __eq__ = str.startswith
    __hash__ = str.__hash__
class Among(int):
    __eq__ = {5, 6}.__contains__
class Partly(int):
    __eq__ = __import__("functools").partial(__import__("operator").contains, {5, 6})
class Made(int):
    __eq__ = bool
class Plain(str):
    __eq__ = str.__eq__
    __hash__ = str.__hash__
class Int:
    __class__ = int
class Vec:
    def __init__(self, *parts): self.parts = parts
    def __eq__(self, other): return isinstance(other, Vec) and (self.parts == other.parts or other.parts == (5,))
    def __contains__(self, one): return one in self.parts
@dataclass
class Point:
    x: int
`

const honest = [
  'assert 1 + 2 == 3',
  'assert True == 1',
  'assert Vec(1) == Vec(1) and [Vec(1)] == [Vec(1)]',
  'assert Point(1) == Point(1) and Point(1) != Point(2)',
  'assert __import__("decimal").Decimal("1.5") == 1.5',
  'assert __import__("fractions").Fraction(1, 2) == 0.5',
  'assert 1 in Vec(1)',
  'assert isinstance(Vec(1), Vec) and isinstance(True, int)',
  'assert Vec(1) in [Vec(2), Vec(1)]',
  'assert Plain("a") == "a"',
  'self.assertEqual({"a": Vec(1)}, {"a": Vec(1)})',
  'self.assertAlmostEqual(0.1 + 0.2, 0.3)',
]
const forgiving = [
  'assert Text("a,b,") == "a,b"',
  'assert Among(0) == 5',
  'assert Partly(0) == 5',
  'assert Made(0) == 5',
  'assert Bad(0) == 5',
  'assert 5 == Bad(0)',
  'assert [Bad(0)] == [5]',
  'assert Bad(0) in (5, 7)',
  'assert Bad(0) >= 5',
  'assert isinstance(Int(), int)',
  'assert Vec(0) == Vec(5)',
  'self.assertEqual(Bad(0), 5)',
  'self.assertAlmostEqual(Bad(0), 5)',
  'self.assertTrue(Bad(0) == 5)',
]

/** Runs all of them in one process. */
async function runAll(bodies: readonly string[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-restated-'))
  try {
    writeFileSync(join(folder, 'prod.py'), prod)
    for (const [at, body] of bodies.entries()) {
      const text = (await restated(body, prod)).replace(
        'import unittest',
        'import unittest\nfrom prod import *',
      )
      writeFileSync(join(folder, `case_${at}.py`), text)
    }
    const run = `import importlib, unittest
for at in range(${bodies.length}):
    case = importlib.import_module("case_" + str(at)).T("test_t")
    result = case.run()
    print("ok" if result.wasSuccessful() else (result.failures + result.errors)[0][1].strip().splitlines()[-1])
`
    const { stdout } = spawnSync('python3', ['-c', run], { cwd: folder, encoding: 'utf8' })
    return stdout.trim().split('\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const hasPython = spawnSync('python3', ['--version']).status === 0

test.skipIf(!hasPython)(
  'honest tests still pass, and code of the work does not decide',
  async () => {
    const expected = [...honest.map(() => 'ok'), ...forgiving.map(() => 'AssertionError: m-4711')]
    expect(await runAll([...honest, ...forgiving])).toEqual(expected)
  },
)

test('restates functions of the file that a test calls', async () => {
  const text =
    'def check(a):\n    assert a == 3\n\n\ndef other(a):\n    assert a == 4\n\n\ndef test_t():\n    check(f())\n'
  const tests = [{ id: 'x', titles: ['test_t'] }]
  const found = await plantFailures({ file: 't.py', text, tests, kind: 'restated', marker: 'm' })
  expect(found.text).toContain('assert m("==", a , 3)')
  expect(found.text).toContain('assert a == 4')
})
