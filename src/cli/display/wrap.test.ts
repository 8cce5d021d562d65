import { expect, test } from 'vitest'
import { createStyle } from '../terminal.ts'
import { renderNotice, renderPowers, wrapped, wrappedAdvice, wrappedLine } from './wrap.ts'

test('text is broken at spaces only', () => {
  expect(wrapped('a bb ccc', 4)).toEqual(['a bb', 'ccc'])
  expect(wrapped('abcdefgh i', 4)).toEqual(['abcdefgh', 'i'])
  expect(wrapped('', 4)).toEqual([''])
})

test('a command to run is never broken', () => {
  const advice = 'Others can read it. Run: chmod 600 /a/long/path'
  expect(wrappedAdvice(advice, 12)).toEqual([
    'Others can',
    'read it.',
    'Run: chmod 600 /a/long/path',
  ])
  expect(wrappedAdvice(advice, 80)).toEqual([advice])
  expect(wrappedAdvice('Run: a b c', 4)).toEqual(['Run: a b c'])
})

test('a notice wraps at words on a terminal, and is one line elsewhere', () => {
  const text = 'calm-otter  fix  on run/calm-otter in /a/long/folder\u001B[2J'
  expect(renderNotice(text, { live: true, width: () => 20 })).toEqual([
    'calm-otter  fix  on',
    'run/calm-otter in',
    '/a/long/folder\\x1b[2J',
  ])
  expect(renderNotice(text, { live: false, width: () => 20 })).toEqual([
    'calm-otter  fix  on run/calm-otter in /a/long/folder\\x1b[2J',
  ])
})

test('what a loop file may do is wrapped on a terminal, and has one line each elsewhere', () => {
  const powers = ['runs x', `runs the check test: ${'word '.repeat(12)}\u001B[2J`]
  const narrow = renderPowers(powers, { live: true, width: () => 40 })
  expect(narrow[0]).toBe('  runs x')
  expect(narrow.length).toBeGreaterThan(3)
  expect(narrow.filter((line) => line.length >= 40)).toEqual([])
  expect(narrow.slice(2).every((line) => line.startsWith('    '))).toBe(true)
  const wide = renderPowers(powers, { live: false, width: () => 40 })
  expect(wide).toEqual(['  runs x', `  runs the check test: ${'word '.repeat(12)}\\x1b[2J`])
  expect(narrow.map((line) => line.trim()).join(' ')).toBe(
    wide.map((line) => line.trim()).join(' '),
  )
})

test('continuation lines are indented, and colors do not count as width', () => {
  const { red } = createStyle(true)
  expect(wrappedLine(`  ${red('stuck')}: nothing new was found; try it with --again`, 26)).toEqual([
    `  ${red('stuck')}: nothing new was`,
    '    found; try it with',
    '    --again',
  ])
})
