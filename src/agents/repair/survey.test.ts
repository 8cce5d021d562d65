import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlainCommands } from '../../sandbox/index.ts'
import { findFiles } from './find-files.ts'
import { parseSource, type SourceFile } from './source-file.ts'
import { type Survey, surveyTests } from './survey.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-survey-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function survey(files: Readonly<Record<string, string>>): Promise<Survey> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const found = await findFiles(root)
  const sources = found.sources
    .map(({ path, text }) => parseSource(path, text))
    .filter((file): file is SourceFile => file !== undefined)
  return surveyTests({
    root,
    files: found,
    sources,
    preload: [],
    deadlineMs: 60_000,
    checkTimeoutMs: 60_000,
    commands: createPlainCommands(),
    signal: new AbortController().signal,
  })
}

const outcomes = ({ tests }: Survey): Readonly<Record<string, boolean>> =>
  Object.fromEntries(tests.map(({ id, ok }) => [id, ok]))

test('modules of all kinds load each other, from disk and from given texts', async () => {
  const found = await survey({
    'package.json': '{ "name": "mixed", "type": "module", "exports": "./src/main.js" }',
    'src/main.js': `import data from './data.json' with { type: 'json' }
import old, { plus } from './old.cjs'
import { Color, typed } from './typed.ts'
export const sum = async (a) => plus(a, data.one) + old.zero + typed(1) + (await import('./late.mjs')).late
export const here = import.meta.url.endsWith('/src/main.js') && typeof import.meta.dirname === 'string'
export const color = Color.Red`.replace(" with { type: 'json' }", ''),
    'src/data.json': '{ "one": 1 }',
    'src/old.cjs': "exports.plus = (a, b) => a + b; exports.zero = require('./nothing').nothing",
    'src/nothing.cjs': '',
    'src/nothing/index.cjs': '',
    'src/nothing.json': '{ "nothing": 0 }',
    'src/typed.ts': `export enum Color { Red = 'red' }
export const typed = (value: number): number => value * 10`,
    'src/late.mjs': 'export const late = 100',
    'test/main.test.ts': `import test from 'node:test'
import assert from 'node:assert'
import { color, here, sum } from 'mixed'
import * as again from '../src/main.js'
test('sum', async (t) => { assert.equal(await sum(5), 116); await t.test('inner', () => assert.ok(here)) })
test('enum', () => assert.equal(color as string, 'red'))
test('one instance', () => assert.equal(again.sum, sum))
test('with a callback', (t, done) => setImmediate(done))
test('inner failure', (t) => { t.test('no', () => assert.ok(false)) })
test('left out', { skip: true }, () => assert.ok(false))
`,
  })
  expect(outcomes(found)).toEqual({
    'test/main.test.ts > sum': true,
    'test/main.test.ts > enum': true,
    'test/main.test.ts > one instance': true,
    'test/main.test.ts > with a callback': true,
    'test/main.test.ts > inner failure': false,
  })
})

test('tests with globals, hooks, this and done; scripts that only throw', async () => {
  const found = await survey({
    'index.js': 'module.exports = (a) => { if (a > 1) return a; return 1 }',
    'test/globals.js': `var assert = require('assert'), f = require('..'), order = []
describe('outer', function () {
  this.timeout(10)
  before(function () { order.push('before') })
  beforeEach(function (done) { order.push('each'); done() })
  describe('inner', function () {
    it('sees its hooks', function () { assert.deepEqual(order, ['before', 'each']) })
    it('calls back', function (done) { this.slow(1); setTimeout(done, 1) })
    it('calls back with an error', function (done) { done(new Error('no')) })
    it('waits', async function () { assert.equal(await f(3), 3) })
    it('is not written yet')
    it.skip('is left out', function () { assert.ok(false) })
  })
})
suite('tdd', function () { test('runs', function () { assert.equal(f(0), 1) }) })
`,
    'test/script.test.js': "require('assert').equal(require('../index.js')(2), 3)",
    'test/exit.test.js': 'process.exit(require("../index.js")(0) - 1)',
    'test/missing.test.js': "require('assert'); require('not-installed')",
  })
  expect(outcomes(found)).toEqual({
    'test/globals.js > outer > inner > sees its hooks': true,
    'test/globals.js > outer > inner > calls back': true,
    'test/globals.js > outer > inner > calls back with an error': false,
    'test/globals.js > outer > inner > waits': true,
    'test/globals.js > tdd > runs': true,
    'test/script.test.js': false,
    'test/exit.test.js': true,
  })
  expect(found.unsupported).toBe(1)
})

test('code that a failing test ran is suspected, and code that others ran less', async () => {
  await symlink(resolve('node_modules'), join(root, 'node_modules'))
  const source = `export const limit = 10
export function low(a) { return a < limit }
export function high(a) { return a > 99 }
export function never(a) { return a }
`
  const found = await survey({
    'package.json': '{ "type": "module" }',
    'src/a.js': source,
    'src/a.test.js': `import { expect, test } from 'vitest'
import { high, low } from './a.js'
test('low', () => expect(low(10)).toBe(true))
test('high', () => expect(high(100)).toBe(true))
test('chance', () => expect(Math.random()).toBeLessThan(2))
`,
  })
  const at = (piece: string): number => found.suspicionAt('src/a.js', source.indexOf(piece))
  expect([at('a < limit'), at('a > 99'), at('return a }')]).toEqual([1, 0, 0])
  expect(at('10')).toBeGreaterThan(0.5)
})
