import { expect, test } from 'vitest'
import { pickErrorLines } from './error-lines.ts'

test('the reason of npm is kept, and its usage text is left out', () => {
  const output = [
    'npm error code EUSAGE',
    'npm error',
    'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
    'npm error',
    'npm error Missing: left-pad@1.3.0 from lock file',
    'npm error',
    'npm error Clean install a project',
    'npm error',
    'npm error Usage:',
    'npm error npm ci',
    'npm error A complete log of this run can be found in: /root/.npm/_logs/x.log',
  ].join('\n')
  const lines = pickErrorLines(output)
  expect(lines).toContain('npm error Missing: left-pad@1.3.0 from lock file')
  expect(lines.join('\n')).not.toMatch(/Usage|npm error npm ci|complete log/)
})

test('lines that name an error come before progress, without colors', () => {
  const output =
    '\u001B[90mresolving\u001B[0m\nfetching\n\u001B[31merror\u001B[0m: no such version\n'
  expect(pickErrorLines(output)).toEqual(['error: no such version'])
})

test('of output that names none, the last lines are kept', () => {
  const output = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')
  expect(pickErrorLines(output)).toHaveLength(12)
  expect(pickErrorLines(output).at(-1)).toBe('line 29')
})
