import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chooseTests, findNamedTests, keepReportedTests } from './choose-tests.ts'
import type { SurveyedTest } from './survey.ts'

const one = (id: string, ok: boolean, ms = 1): SurveyedTest => ({
  id,
  ok,
  ms,
  hits: new Uint8Array(),
  hung: false,
})
const many = [
  ...Array.from({ length: 10 }, (_, index) => one(`a.js > bad ${index}`, false, 10 - index)),
  ...Array.from({ length: 20 }, (_, index) => one(`a.js > good ${index}`, true)),
]

describe('tests that are held back', () => {
  test('are a share of the failing and of the passing tests', () => {
    const { heldBack, visible, first } = chooseTests(many, { seed: 1, heldBackShare: 0.3 })
    expect(heldBack.filter(({ ok }) => !ok)).toHaveLength(3)
    expect(heldBack.filter(({ ok }) => ok)).toHaveLength(6)
    expect(visible).toHaveLength(21)
    expect(visible.some((shown) => heldBack.includes(shown))).toBe(false)
    expect(first.every((shown) => !shown.ok && visible.includes(shown))).toBe(true)
  })

  test('are the same each time for a seed, and differ for another', () => {
    const ids = (seed: number): string =>
      chooseTests(many.toReversed(), { seed, heldBackShare: 0.3 })
        .heldBack.map(({ id }) => id)
        .toSorted()
        .join()
    expect(ids(1)).toBe(ids(1))
    expect(ids(1)).not.toBe(ids(2))
  })

  test('are never all of the failing ones', () => {
    const { first, heldBack } = chooseTests([one('a', false)], { seed: 1, heldBackShare: 0.9 })
    expect([first.length, heldBack.length]).toEqual([1, 0])
  })
})

test('a test that fails only here is left out while the command reports others', () => {
  const tests = [one('a.js > adds', false), one('a.js > ours', false), one('a.js > fine', true)]
  expect(keepReportedTests(tests, 'not ok 1 - adds').tests.map(({ id }) => id)).toEqual([
    'a.js > adds',
    'a.js > fine',
  ])
  expect(keepReportedTests(tests, 'exit 1').leftOut).toBe(0)
})

describe('the test files of a command', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'loopwright-choose-'))
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  const files = ['test/a.test.js', 'test/browser.test.js', 'other/b.test.js'].map((path) => ({
    path,
    text: '',
  }))
  const paths = async (...check: string[]): Promise<readonly string[]> =>
    (await findNamedTests(root, [check], files)).map(({ path }) => path)

  test('are those that it names, directly or in a script', async () => {
    const scripts = { test: 'npm run unit && echo ok', unit: "mocha 'test/a*.js'" }
    await writeFile(join(root, 'package.json'), JSON.stringify({ scripts }))
    expect(await paths('npm', 'test')).toEqual(['test/a.test.js'])
    expect(await paths('/bin/sh', '-c', 'true; npm test')).toEqual(['test/a.test.js'])
    expect(await paths('mocha', './test/')).toEqual(['test/a.test.js', 'test/browser.test.js'])
  })

  test('are all of them if it names none', async () => {
    expect(await paths('npm', 'test')).toHaveLength(3)
  })
})
