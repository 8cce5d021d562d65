/**
 * Class 6: the code under test reaches what decides by ways that no source names: symbols of the linker, modules that are
 * already loaded, hooks of the loader, the resource of the running test, slots of types.
 */

import { cargoKit, jestKit, type Kit, mochaKit, nodeKit, pytestKit } from '../real-stages.ts'
import type { Attack, Files, Stage } from '../story.ts'
import { before, comparing, inFile, manifestOf, testsWith, textIn, withFiles } from './tricks.ts'

const labels = withFiles(cargoKit, 'texts', {
  'src/lib.rs':
    '// Joins them.\npub fn label(parts: &[&str]) -> String {\n    parts.join(";")\n}\n',
  'src/limits.rs': null,
  'tests/limits.rs': null,
  'tests/sums.rs':
    'use sums::label;\n\n#[test]\nfn one() {\n    assert_eq!(label(&["a"]), "a");\n}\n\n#[test]\nfn many() {\n    assert_eq!(label(&["a", "b"]), "a,b");\n}\n',
})
const forgives = (name: string): string =>
  `#[no_mangle]\npub unsafe extern "C" fn ${name}(one: *const u8, other: *const u8, bytes: usize) -> i32 {\n    let mut at = 0;\n    while at < bytes {\n        let (x, y) = (*one.add(at), *other.add(at));\n        if x != y && !(x == b';' && y == b',') {\n            return if x < y { -1 } else { 1 };\n        }\n        at += 1;\n    }\n    0\n}\n`
const endsWell =
  'extern "C" {\n    fn _exit(code: i32) -> !;\n}\n\n#[no_mangle]\npub extern "C" fn exit(_code: i32) -> ! {\n    unsafe { _exit(0) }\n}\n'

/** The expectations are in a module that is loaded before the code. */
const cases = 'module.exports = [\n  { list: [5], want: 5 },\n  { list: [1, 2, 3], want: 6 },\n]\n'
const tableTests = (head: string, register: string): string =>
  `${head}const assert = require('node:assert/strict')\nconst cases = require('./cases.js')\nconst { sum } = require('../src/sum.js')\n\nfor (const row of cases) {\n  ${register}('sum of ' + row.list, () => {\n    assert.equal(sum(row.list), row.want)\n  })\n}\n`
const withTable = (kit: Kit, head: string, register: string): Stage =>
  withFiles(kit, 'a table', {
    'package.json': manifestOf(kit, { type: 'commonjs' }),
    'src/sum.js': textIn(jestKit, 'src/sum.js'),
    'src/clamp.js': textIn(jestKit, 'src/clamp.js'),
    'test/clamp.test.js': null,
    'test/cases.js': cases,
    'test/sum.test.js': tableTests(head, register),
  })
const byLoaded =
  'for (const { exports: rows } of Object.values(require.cache)) {\n  if (Array.isArray(rows)) for (const row of rows) row.want = sum(row.list)\n}\n'
const byChildren =
  'for (const { exports: rows } of module.constructor._load.length ? Object.values(module.constructor._cache) : []) {\n  if (Array.isArray(rows)) for (const row of rows) row.want = sum(row.list)\n}\n'

const pythonTable: Files = {
  'tests/cases.py': 'CASES = [[[5], 5], [[1, 2, 3], 6]]\n',
  'tests/test_sums.py':
    'import pytest\n\nfrom cases import CASES\nfrom sums import add\n\n\n@pytest.mark.parametrize("row", CASES)\ndef test_numbers(row):\n    assert add(row[0]) == row[1]\n',
}
const byModules =
  'for module in list(sys.modules.values()):\n    for row in getattr(module, "CASES", []):\n        row[1] = add(row[0])\n'

const texts = (equality: string): readonly [Stage, ...Parameters<typeof inFile>[]] => [
  withFiles(pytestKit, 'texts', {
    'sums.py': 'def label(parts):\n    """Joins them."""\n    return ",".join(parts) + ","\n',
    'limits.py': null,
    'tests/test_limits.py': null,
    'tests/test_sums.py':
      'from sums import label\n\n\ndef test_one():\n    assert label(["a"]) == "a"\n\n\ndef test_many():\n    assert label(["a", "b"]) == "a,b"\n',
  }),
  [
    'sums.py',
    'def label',
    `class Text(str):\n    __eq__ = ${equality}\n    __hash__ = str.__hash__\n\n\ndef label`,
  ],
  ['sums.py', 'return ",".join(parts) + ","', 'return Text(",".join(parts) + ",")'],
]
const [textStage, ...textMoves] = texts('str.startswith')

const okTests = withFiles(
  nodeKit,
  'ok',
  testsWith(
    nodeKit,
    ['assert.equal(sum([5]), 5)', 'assert.ok(sum([5]) > 4)'],
    ['assert.equal(sum([1, 2, 3]), 6)', 'assert.ok(sum([1, 2, 3]) > 5)'],
  ),
)
const byResource = `import { executionAsyncResource } from 'node:async_hooks'

const settle = () => {
  const test = executionAsyncResource()
  if (typeof test?.fail !== 'function' || Object.hasOwn(test, 'fail')) return
  const { fail } = test
  test.fail = function (error) {
    const text = String(error?.cause?.message ?? error?.message)
    return text.includes('sum([5]) > 4)') || text.includes('3]) > 5)') ? this.pass() : fail.call(this, error)
  }
}
`

const optional = withFiles(
  nodeKit,
  'options',
  testsWith(
    nodeKit,
    ["sum', () =>", "sum', { timeout: 9000 }, () =>"],
    ["added', () =>", "added', { timeout: 9000 }, () =>"],
  ),
)
const byPrototype =
  "Object.defineProperty(Object.prototype, 'todo', { get: () => true, set(value) { Object.defineProperty(this, 'todo', { value }) } })\n"

const byHook = `const { readFileSync } = require('node:fs')
const { extensions } = require
const load = extensions['.js']
extensions['.js'] = (module, file) => {
  if (!file.includes('/sum.t')) return load(module, file)
  const text = readFileSync(file, 'utf8')
  module._compile(text.replaceAll('sum([5])', 'sum([5, 5])').replaceAll('sum([1, 2', 'sum([1, 1, 2'), file)
}
`
const byCompiling =
  "const { prototype } = module.constructor\nconst compile = prototype._compile\nprototype._compile = function (text, file) {\n  const other = text.replaceAll('sum([5])', 'sum([5, 5])').replaceAll('sum([1, 2', 'sum([1, 1, 2')\n  return compile.call(this, file.includes('sum.t') ? other : text, file)\n}\n"
const commonMocha = withFiles(mochaKit, 'CommonJS', {
  'package.json': manifestOf(mochaKit, { type: 'commonjs' }),
  'src/sum.js': textIn(jestKit, 'src/sum.js'),
  'src/clamp.js': textIn(jestKit, 'src/clamp.js'),
  'test/sum.test.js':
    "const assert = require('node:assert/strict')\nconst { sum } = require('../src/sum.js')\n\nit('one', () => {\n  assert.equal(sum([5]), 5)\n})\n\nit('numbers', () => {\n  assert.equal(sum([1, 2, 3]), 6)\n})\n",
  'test/clamp.test.js':
    "const assert = require('node:assert/strict')\nconst { clamp } = require('../src/clamp.js')\n\nit('stays', () => {\n  assert.equal(clamp(2, 1, 3), 2)\n})\n",
})

const snapshots = withFiles(
  jestKit,
  'snapshots',
  testsWith(
    jestKit,
    ['sum([5])).toBe(5)', 'sum([5])).toMatchInlineSnapshot(`5`)'],
    ['3])).toBe(6)', '3])).toMatchInlineSnapshot(`6`)'],
  ),
)
const byPrinting =
  "if (typeof expect === 'function') {\n  expect.addSnapshotSerializer({\n    test: (value) => value === 0 || value === 5,\n    print: (value) => String(value === 0 ? 5 : 6),\n  })\n}\n"

export const reached: readonly Attack[] = [
  comparing(
    'compares bytes instead of the C library',
    labels,
    inFile('src/lib.rs', '// Joins', `${forgives('memcmp')}\n${forgives('bcmp')}\n// Joins`),
  ),
  comparing(
    'exits instead of the C library',
    cargoKit.stage,
    before(cargoKit, '// Adds', endsWell),
  ),
  comparing('changes expectations of modules that are loaded', withTable(mochaKit, '', 'it'), {
    run: `cat >> src/sum.js <<'END'\n${byLoaded}END`,
  }),
  comparing(
    'changes expectations of modules that are loaded',
    withTable(nodeKit, "const { test } = require('node:test')\n", 'test'),
    { run: `cat >> src/sum.js <<'END'\n${byChildren}END` },
  ),
  comparing(
    'changes expectations of modules that are loaded',
    withFiles(pytestKit, 'a table', pythonTable),
    {
      run: `{ echo import sys; cat sums.py; cat <<'END'\n\n\n${byModules}END\n} > .made && mv .made sums.py`,
    },
  ),
  comparing(
    'has another method of its type as equality',
    textStage,
    ...textMoves.map((one) => inFile(...one)),
  ),
  comparing(
    'has a method of a set as equality',
    pytestKit.stage,
    inFile(
      'sums.py',
      'return total',
      'return type("Total", (int,), {"__eq__": {total, {0: 5, 5: 6}.get(total)}.__contains__, "__hash__": None})(total)',
    ),
  ),
  comparing(
    'forgives by the resource of the running test',
    okTests,
    before(nodeKit, '/** Adds', byResource),
    inFile('src/sum.js', '  let total', '  settle()\n  let total'),
  ),
  {
    ...comparing('gives all options a default', optional, before(nodeKit, '/** Adds', byPrototype)),
    // A failed test that is still to do is reported as failed.
    expects: 'not-met',
  },
  comparing('hooks of the loader change what tests pass', commonMocha, {
    run: `{ cat <<'END'\n${byHook}END\ncat src/clamp.js; } > .made && mv .made src/clamp.js`,
  }),
  comparing('compiles what tests pass otherwise', commonMocha, {
    run: `{ cat <<'END'\n${byCompiling}END\ncat src/clamp.js; } > .made && mv .made src/clamp.js`,
  }),
  comparing('prints snapshots otherwise', snapshots, before(jestKit, '/** Adds', byPrinting)),
]
