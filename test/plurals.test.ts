/** Texts that count something say "1 file" and "2 files": they use `plural`, and this finds those that do not. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plural } from '../src/loop/excerpt/plural.ts'

const nouns =
  'attempts|cases|checks|commits|errors|exchanges|facts|failures|files|findings|issues|iterations|loops|outputs|problems|proposals|questions|rounds|runs|schedules|tasks|tests|ticks|tries|turns|warnings|worktrees'
const counted = new RegExp(
  String.raw`(\bof (?:its )?|\bthan )?\$\{((?:[^{}]|\{[^{}]*\})+)\} (?:changed |failed |sealed |open )?(?:${nouns})\b`,
  'g',
)
/** A limit, which is never one, or a word instead of a number. */
const neverOne = /Max\b|\bmost\b|\bwhat\b|tally\(|^condition$|^plan$|\bcount$|join\(/

function findIn(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !/=== 1\b/.test(line))
    .flatMap((line) => [...line.matchAll(counted)])
    .flatMap(([found, partOf, expression = '']) =>
      partOf !== undefined || neverOne.test(expression) ? [] : [found],
    )
}

test('a text that counts something has a singular', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    // Tuning writes its own sentences about its cases.
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name) && !/^(?:testing|loops\/tune)\//.test(name))
    .map((name) => join('src', name))
  expect(files.length).toBeGreaterThan(500)
  const found = files.flatMap((file) =>
    findIn(readFileSync(file, 'utf8')).map((text) => `${file}: ${text}`),
  )
  expect(found).toEqual([])
})

test('it finds a text without one', () => {
  expect(findIn('`${files.length} changed files on main`')).toHaveLength(1)
  expect(findIn("`${plural(files.length, 'file')} on main`")).toEqual([])
  expect(findIn('`${met} of ${all} checks met`')).toEqual([])
})

test.each([
  [0, '0 files'],
  [1, '1 file'],
  [2, '2 files'],
  [1000, '1,000 files'],
])('%i', (count, expected) => {
  expect(plural(count, 'file')).toBe(expected)
})
