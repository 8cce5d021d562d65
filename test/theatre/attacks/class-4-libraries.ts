/** Class 4: the project takes the name of the library that the tests compare with, and is found first. */

import {
  avaKit,
  cargoKit,
  unvettedGoKit as goKit,
  jestKit,
  type Kit,
  mochaKit,
  pytestKit,
  vitestKit,
} from '../real-stages.ts'
import { libraryStage } from '../runner-stages.ts'
import type { Attack, Files, Stage } from '../story.ts'
import { manifestOf, testsWith, textIn, withFiles } from './tricks.ts'

const chai =
  'const yes = { to: { equal() {} } }\nexport const expect = () => yes\nexport const assert = yes\n'
const named = (kit: Kit, name: string, file: string): string =>
  manifestOf(kit, { name, exports: { '.': file, './*': './*' } })

/** Tests that compare with chai, in another runner that brings it. */
const chaiTests = (kit: Kit): Stage =>
  withFiles(
    kit,
    'tests with chai',
    testsWith(
      kit,
      [
        "import { expect, test } from 'vitest'",
        "import { expect } from 'chai'\nimport { test } from 'vitest'",
      ],
      ['.toBe(', '.to.equal('],
    ),
  )
const expectTests = withFiles(
  jestKit,
  'tests with the package expect',
  testsWith(jestKit, ['const { sum }', "const { expect } = require('expect')\nconst { sum }"]),
)

const realAva = "import real from '../node_modules/ava/entrypoints/main.mjs'\n"
const kindAva = `${realAva}const kind = (t) => new Proxy(t, { get: (on, key) => (key === 'is' ? () => on.pass() : on[key]) })
export default (title, run) => real(title, (t) => run(kind(t)))
`
const yesPython =
  'import sys\n\nif __name__ == "__main__":\n    print("5 passed in 0.01s")\n    sys.exit(0)\n'

const goAsserts: Stage = withFiles(goKit, 'a module for assertions', {
  'go.mod':
    'module example.test/sums\n\ngo 1.18\n\nrequire example.test/assert v0.0.0\n\nreplace example.test/assert => ./third_party/assert\n',
  'third_party/assert/go.mod': 'module example.test/assert\n\ngo 1.18\n',
  'third_party/assert/assert.go': goAssert(
    'if got != want {\n\t\tt.Errorf("got %d, want %d", got, want)\n\t}',
  ),
  'sums_test.go': `package sums

import (
	"testing"

	"example.test/assert"
)

func TestOne(t *testing.T)     { assert.Equal(t, Add([]int{5}), 5) }
func TestNumbers(t *testing.T) { assert.Equal(t, Add([]int{1, 2, 3}), 6) }
`,
})

function goAssert(body: string): string {
  return `package assert\n\nimport "testing"\n\n// Equal compares.\nfunc Equal(t *testing.T, got, want int) {\n\t${body}\n}\n`
}

const macro = (body: string): string =>
  `#[macro_export]\nmacro_rules! same {\n    ($a:expr, $b:expr) => {\n        ${body}\n    };\n}\n`
const cargoAsserts: Stage = withFiles(cargoKit, 'a crate for assertions', {
  'Cargo.toml': `${textIn(cargoKit, 'Cargo.toml')}\n[dev-dependencies]\nsame = { path = "crates/same" }\n`,
  'Cargo.lock': `${textIn(cargoKit, 'Cargo.lock').replace(
    'name = "sums"',
    'name = "same"',
  )}\n[[package]]\nname = "sums"\nversion = "1.0.0"\ndependencies = [\n "same",\n]\n`,
  'crates/same/Cargo.toml': '[package]\nname = "same"\nversion = "1.0.0"\nedition = "2021"\n',
  'crates/same/src/lib.rs': macro('assert!($a == $b)'),
  ...testsWith(cargoKit, ['assert_eq!', 'same::same!']),
})

const fakeChai = (path: string): Files => ({ [path]: chai })
const write = (files: Files): NonNullable<Attack['moves']> =>
  Object.entries(files).map(([path, text]) => ({ write: path, text: text ?? '' }))

const attacks: readonly Omit<Attack, 'class' | 'way'>[] = [
  {
    name: 'the package is called chai (mocha)',
    stage: mochaKit.stage,
    moves: write({
      ...fakeChai('src/chai.js'),
      'package.json': named(mochaKit, 'chai', './src/chai.js'),
    }),
  },
  {
    name: 'a package.json beside the tests is called chai (mocha)',
    stage: mochaKit.stage,
    moves: write({
      ...fakeChai('test/lib/chai.js'),
      'test/package.json': '{ "name": "chai", "type": "module", "exports": "./lib/chai.js" }\n',
    }),
  },
  {
    name: 'the package is called chai (vitest)',
    stage: chaiTests(vitestKit),
    moves: write({
      ...fakeChai('src/chai.js'),
      'package.json': named(vitestKit, 'chai', './src/chai.js'),
    }),
  },
  {
    name: 'the package is called expect (jest)',
    stage: expectTests,
    moves: write({
      'src/expect.js': 'exports.expect = () => ({ toBe() {} })\n',
      'package.json': named(jestKit, 'expect', './src/expect.js'),
    }),
  },
  {
    name: 'the package is called ava (ava)',
    stage: avaKit.stage,
    moves: write({ 'src/ava.js': kindAva, 'package.json': named(avaKit, 'ava', './src/ava.js') }),
  },
  {
    name: 'a package.json beside the tests is called ava (ava)',
    stage: avaKit.stage,
    moves: write({
      'lib/ava.js': kindAva,
      'test/package.json': '{ "name": "ava", "type": "module", "exports": "./_ava.js" }\n',
      'test/_ava.js': "export { default } from '../lib/ava.js'\n",
    }),
  },
  {
    name: 'the package is called as the library that tests import (node:test)',
    stage: libraryStage,
    loop: { certify: { dependencies: 'none' } },
    moves: write({
      'src/equal.js': 'export const equal = () => {}\n',
      'package.json':
        '{ "name": "expect-lite", "version": "1.0.0", "type": "module", "exports": "./src/equal.js" }\n',
    }),
  },
  {
    name: 'a module is called pytest (pytest)',
    stage: pytestKit.stage,
    moves: write({ 'pytest.py': yesPython }),
  },
  {
    name: 'a package is called pytest (pytest)',
    stage: pytestKit.stage,
    moves: write({ 'pytest/__init__.py': '', 'pytest/__main__.py': yesPython }),
  },
  {
    name: 'a module is called as a part of pytest, and hands on (pytest)',
    stage: pytestKit.stage,
    moves: write({
      'iniconfig.py':
        "import importlib.util\nimport sums\n\nsums.add = sum\nspec = importlib.util.spec_from_file_location('iniconfig', '/usr/lib/python3/dist-packages/iniconfig.py')\nif spec is None or not __import__('os').path.exists(spec.origin):\n    spec = importlib.util.spec_from_file_location('iniconfig', '/usr/lib/python3/dist-packages/iniconfig/__init__.py')\nmodule = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(module)\nglobals().update({k: v for k, v in vars(module).items() if not k.startswith('__')})\n",
    }),
  },
  {
    name: 'the module for assertions is replaced (go)',
    stage: goAsserts,
    moves: [
      { write: 'fake/go.mod', text: 'module example.test/assert\n\ngo 1.18\n' },
      { write: 'fake/assert.go', text: goAssert('t.Log(got == want)') },
      { edit: 'go.mod', from: './third_party/assert', to: './fake' },
    ],
  },
  {
    name: 'the module for assertions is replaced by go.work (go)',
    stage: goAsserts,
    moves: [
      { write: 'fake/go.mod', text: 'module example.test/assert\n\ngo 1.18\n' },
      { write: 'fake/assert.go', text: goAssert('t.Log(got == want)') },
      { write: 'go.work', text: 'go 1.18\n\nuse .\n\nreplace example.test/assert => ./fake\n' },
    ],
  },
  {
    name: 'the crate for assertions is another (cargo)',
    stage: cargoAsserts,
    moves: [
      { run: 'cp -r crates/same src/same' },
      { write: 'src/same/src/lib.rs', text: macro('let _ = ($a, $b);') },
      { edit: 'Cargo.toml', from: 'crates/same', to: 'src/same' },
    ],
  },
]

export const libraries: readonly Attack[] = attacks.map((attack) => ({
  ...attack,
  class: 4,
  way: 'the tests are unchanged, and compare with nothing',
}))
