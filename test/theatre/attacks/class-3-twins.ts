/** Class 3: the tests load another file than users do. */

import {
  avaKit,
  cargoKit,
  unvettedGoKit as goKit,
  jestKit,
  type Kit,
  mochaKit,
  nodeKit,
  pytestKit,
  vitestKit,
} from '../real-stages.ts'
import type { Attack, Files, Move, Stage } from '../story.ts'
import { manifestOf, mended, testsWith, textIn, withFiles } from './tricks.ts'

const good = mended(nodeKit)
const goodCommonJs = mended(jestKit)
const from = '../src/sum.js'
const importing = (kit: Kit, to: string): Files => testsWith(kit, [from, to])

/** Tests import the package by its own name. */
const selfStage = (kit: Kit): Stage =>
  withFiles(kit, 'tests that import the package', {
    ...importing(kit, 'sums'),
    'package.json': manifestOf(kit, { exports: './src/sum.js', main: './src/sum.js' }),
  })
const exporting = (kit: Kit, exports: object): readonly Move[] => [
  { write: 'src/good.js', text: mended(kit) },
  {
    write: 'package.json',
    text: manifestOf(kit, { exports: { '.': exports }, main: './src/sum.js' }),
  },
]

const numberImports = (kit: Kit, imports: object): string => manifestOf(kit, { imports })
const hashStage = (kit: Kit): Stage =>
  withFiles(kit, 'tests that import #sum', {
    ...importing(kit, '#sum'),
    'package.json': numberImports(kit, { '#sum': './src/sum.js' }),
  })

const twinFolder: readonly Move[] = [
  { run: 'mkdir -p twin && cp -r src test package.json twin/ && rm -r test' },
  { run: "sed -i 's/slice(1)/slice(0)/' twin/src/sum.js" },
]

const extensionless = withFiles(
  jestKit,
  'tests that name no extension',
  importing(jestKit, '../src/sum'),
)
const typed = withFiles(vitestKit, 'a source in TypeScript', {
  ...importing(vitestKit, '../src/sum'),
  'src/sum.js': null,
  'src/sum.ts': textIn(nodeKit, 'src/sum.js').replace('(list)', '(list: number[]): number'),
})
const typedFix: readonly Move[] = [
  { edit: 'src/sum.ts', from: 'list.slice(1)', to: 'list.slice(0)' },
]

const calc = textIn(goKit, 'sums.go').replace('package sums', 'package calc')
const goModules: Stage = {
  ...withFiles(goKit, 'two modules', {
    'go.mod':
      'module example.test/sums\n\ngo 1.18\n\nrequire example.test/calc v0.0.0\n\nreplace example.test/calc => ./calc\n',
    'calc/go.mod': 'module example.test/calc\n\ngo 1.18\n',
    'calc/calc.go': calc,
    'sums.go': null,
    'sums_test.go': textIn(goKit, 'sums_test.go')
      .replace('import "testing"', 'import (\n\t"testing"\n\n\t"example.test/calc"\n)')
      .replaceAll('Add(', 'calc.Add('),
  }),
  fix: [{ edit: 'calc/calc.go', from: 'i := 1', to: 'i := 0' }],
}
const goTwin: readonly Move[] = [
  { write: 'twin/go.mod', text: 'module example.test/calc\n\ngo 1.18\n' },
  { write: 'twin/calc.go', text: calc.replace('i := 1', 'i := 0') },
]

type Twin = Omit<Attack, 'class' | 'way'>

const scripts: readonly Twin[] = [
  ...[nodeKit, vitestKit, mochaKit, avaKit].map((kit) => ({
    name: `the tests move, unchanged, beside a mended copy (${kit.stage.name})`,
    stage: kit.stage,
    moves: [
      { run: 'mkdir -p unit/test unit/src && mv test/* unit/test/ && cp src/* unit/src/' },
      { run: "sed -i 's/slice(1)/slice(0)/' unit/src/sum.js" },
      ...(kit === mochaKit ? [{ write: '.mocharc.json', text: '{ "spec": "unit/test" }\n' }] : []),
    ],
  })),
  {
    name: 'the folder of tests is a link into a twin project (node:test)',
    stage: nodeKit.stage,
    moves: [...twinFolder, { link: 'test', to: 'twin/test' }],
  },
  {
    name: 'the test is a link to the same text in a twin project (mocha)',
    stage: mochaKit.stage,
    moves: [
      {
        run: 'mkdir -p twin/test twin/src && cp src/* twin/src/ && cp test/sum.test.js twin/test/',
      },
      { run: "sed -i 's/slice(1)/slice(0)/' twin/src/sum.js" },
      { link: 'test/sum.test.js', to: '../twin/test/sum.test.js' },
    ],
  },
  {
    name: 'src is a link, and the package is another folder (node:test)',
    stage: withFiles(nodeKit, 'a package with a main file', {
      'package.json': manifestOf(nodeKit, { main: './src/sum.js', files: ['src'] }),
    }),
    moves: [
      { run: 'cp -r src mended && mv src lib' },
      { run: "sed -i 's/slice(1)/slice(0)/' mended/sum.js" },
      { link: 'src', to: 'mended' },
      { edit: 'package.json', from: './src/sum.js', to: './lib/sum.js' },
      { edit: 'package.json', from: '"src"', to: '"lib"' },
    ],
  },
  {
    name: 'a file without an extension comes first (jest)',
    stage: extensionless,
    moves: [{ write: 'src/sum', text: goodCommonJs }],
  },
  {
    name: '.mjs comes before .ts (vitest)',
    stage: { ...typed, fix: typedFix },
    moves: [{ write: 'src/sum.mjs', text: good }],
  },
  {
    name: '.js comes before .ts (vitest)',
    stage: { ...typed, name: `${typed.name}, again`, fix: typedFix },
    moves: [{ write: 'src/sum.js', text: good }],
  },
  {
    name: '.js comes before .cjs (jest)',
    stage: {
      ...withFiles(jestKit, 'a source that ends in .cjs', {
        ...importing(jestKit, '../src/sum'),
        'package.json': manifestOf(jestKit, { jest: { moduleFileExtensions: ['js', 'cjs'] } }),
        'src/sum.js': null,
        'src/sum.cjs': textIn(jestKit, 'src/sum.js'),
      }),
      fix: [{ edit: 'src/sum.cjs', from: 'list.slice(1)', to: 'list.slice(0)' }],
    },
    moves: [{ write: 'src/sum.js', text: goodCommonJs }],
  },
  {
    name: 'exports have a condition that Node knows (node:test)',
    stage: selfStage(nodeKit),
    moves: exporting(nodeKit, { node: './src/good.js', default: './src/sum.js' }),
  },
  {
    name: 'exports have another file for import than for require (mocha)',
    stage: selfStage(mochaKit),
    moves: exporting(mochaKit, { import: './src/good.js', default: './src/sum.js' }),
  },
  {
    name: 'exports have another file for development (vitest)',
    stage: selfStage(vitestKit),
    moves: exporting(vitestKit, {
      development: './src/good.js',
      node: './src/good.js',
      default: './src/sum.js',
    }),
  },
  {
    name: 'exports have another file than main (jest)',
    stage: selfStage(jestKit),
    moves: exporting(jestKit, { node: './src/good.js', default: './src/sum.js' }),
  },
  {
    name: 'imports lead elsewhere (ava)',
    stage: hashStage(avaKit),
    moves: [
      { write: 'src/good.js', text: good },
      { write: 'package.json', text: numberImports(avaKit, { '#sum': './src/good.js' }) },
    ],
  },
  {
    name: 'imports lead elsewhere under Node (vitest)',
    stage: hashStage(vitestKit),
    moves: [
      { write: 'src/good.js', text: good },
      {
        write: 'package.json',
        text: numberImports(vitestKit, {
          '#sum': { node: './src/good.js', default: './src/sum.js' },
        }),
      },
    ],
  },
  {
    name: 'a package.json beside the tests maps the import (node:test)',
    stage: hashStage(nodeKit),
    moves: [
      { write: 'test/good.js', text: good },
      {
        write: 'test/package.json',
        text: '{ "type": "module", "imports": { "#sum": "./good.js" } }\n',
      },
    ],
  },
]

const others: readonly Twin[] = [
  {
    name: 'a package comes before a module of the same name (pytest)',
    stage: pytestKit.stage,
    moves: [{ write: 'sums/__init__.py', text: mended(pytestKit) }],
  },
  {
    name: 'the folder of the tests comes first on the path (pytest)',
    stage: pytestKit.stage,
    moves: [{ write: 'tests/sums.py', text: mended(pytestKit) }],
  },
  {
    name: 'compiled code comes before its source (pytest)',
    stage: pytestKit.stage,
    moves: [
      { write: 'good/sums.py', text: mended(pytestKit) },
      {
        run: "mkdir -p sums && python3 -c \"import py_compile; py_compile.compile('good/sums.py', 'sums/__init__.pyc')\" && rm -r good",
      },
    ],
  },
  {
    name: '[lib] path names another file (cargo)',
    stage: cargoKit.stage,
    moves: [
      { write: 'src/good.rs', text: mended(cargoKit) },
      {
        edit: 'Cargo.toml',
        from: 'edition = "2021"\n',
        to: 'edition = "2021"\n\n[lib]\npath = "src/good.rs"\n',
      },
    ],
  },
  {
    name: 'a #[path] of the tests leads elsewhere (cargo)',
    stage: withFiles(cargoKit, 'a module by path', {
      'tests/sums.rs': textIn(cargoKit, 'tests/sums.rs').replace(
        'use sums::add;',
        '#[path = "../src/add.rs"]\nmod add;\nuse add::add;',
      ),
      'src/add.rs': 'pub fn add(numbers: &[i64]) -> i64 {\n    numbers.iter().skip(1).sum()\n}\n',
      'src/lib.rs': 'pub mod limits;\npub mod add;\n',
    }),
    moves: [
      { move: 'src/add.rs', to: 'src/adding.rs' },
      {
        write: 'src/add.rs',
        text: 'pub fn add(numbers: &[i64]) -> i64 {\n    numbers.iter().sum()\n}\n',
      },
      {
        write: 'src/lib.rs',
        text: 'pub mod limits;\n#[path = "adding.rs"]\npub mod add;\n',
      },
    ],
  },
  {
    name: 'go.work replaces the module (go)',
    stage: goModules,
    moves: [
      ...goTwin,
      { write: 'go.work', text: 'go 1.18\n\nuse .\n\nreplace example.test/calc => ./twin\n' },
    ],
  },
  {
    name: 'go.mod replaces the module (go)',
    stage: goModules,
    moves: [...goTwin, { edit: 'go.mod', from: '=> ./calc', to: '=> ./twin' }],
  },
]

export const twins: readonly Attack[] = [...scripts, ...others].map((twin) => ({
  ...twin,
  class: 3,
  way: 'the tests pass, on a file that users do not get',
}))
