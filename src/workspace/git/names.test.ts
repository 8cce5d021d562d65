import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toSlug } from '../../loop/index.ts'
import { sanitize, worktreePath } from '../worktree/worktree-path.ts'
import { isBranchName, toFileKey } from './names.ts'

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({
    unit: fc.constantFrom('a', '-', '/', '.', '@', '{', '~', '^', ' ', '\\', '.lock', '..'),
    maxLength: 12,
  }),
)

describe('a slug', () => {
  test('has lower-case words with hyphens, and is never empty or long', () => {
    fc.assert(
      fc.property(anything, (name) => {
        const made = toSlug(name)
        expect(made).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(made.length).toBeLessThanOrEqual(60)
        expect(isBranchName(`run/${made}`)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('stays readable', () => {
    expect(toSlug('Fix: the Überprüfung (again)!')).toBe('fix-the-uberprufung-again')
    expect(toSlug('名前')).toBe('run')
  })
})

test('a full ref name is not a branch name', () => {
  expect(isBranchName('refs/heads/x')).toBe(false)
  expect(isBranchName('x/refs/heads')).toBe(true)
})

test('git accepts every name that isBranchName accepts', () => {
  fc.assert(
    fc.property(anything.filter(isBranchName), (name) => {
      const output = execFileSync('git', ['check-ref-format', '--branch', name], { cwd: '/' })
      expect(output.toString().trimEnd()).toBe(name)
    }),
    { numRuns: 60 },
  )
})

test('a key becomes a single file name, and different keys stay different', () => {
  fc.assert(
    fc.property(anything, anything, (one, two) => {
      expect(toFileKey(one)).toMatch(/^[a-z0-9][a-z0-9-]{0,79}$/)
      expect(toFileKey(one) === toFileKey(two)).toBe(one === two)
    }),
  )
})

test('sanitized text is always a single path component', () => {
  const repository = { home: '/h/repo', name: 'repo', commonDir: '/h/repo/.git' }
  fc.assert(
    fc.property(anything, (name) => {
      expect(sanitize(name)).toMatch(/^[^./-][^/\\\0]*$/u)
      const path = worktreePath('../{{ repo }}.{{ run_branch | sanitize }}', repository, name)
      expect(path.startsWith('/h/repo.')).toBe(true)
      expect(path.split('/')).toHaveLength(3)
    }),
    { numRuns: 1000 },
  )
})
