import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileKey, isBranchName, slug } from './names.ts'
import { sanitize, worktreePath } from './worktree-path.ts'

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({
    unit: fc.constantFrom('a', '-', '/', '.', '@', '{', '~', '^', ' ', '\\', '.lock', '..'),
    maxLength: 12,
  }),
)

describe('a slug', () => {
  test('of anything is lower-case words with hyphens, and never empty or long', () => {
    fc.assert(
      fc.property(anything, (name) => {
        const made = slug(name)
        expect(made).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(made.length).toBeLessThanOrEqual(60)
        expect(isBranchName(`run/${made}`)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('keeps what can be read', () => {
    expect(slug('Fix: the Überprüfung (again)!')).toBe('fix-the-uberprufung-again')
    expect(slug('名前')).toBe('run')
  })
})

test('the name of a whole ref is none of a branch', () => {
  expect(isBranchName('refs/heads/x')).toBe(false)
  expect(isBranchName('x/refs/heads')).toBe(true)
})

test('a name that we take for a branch, git does too', () => {
  fc.assert(
    fc.property(anything.filter(isBranchName), (name) => {
      const said = execFileSync('git', ['check-ref-format', '--branch', name], { cwd: '/' })
      expect(said.toString().trimEnd()).toBe(name)
    }),
    { numRuns: 60 },
  )
})

test('whatever a run is known by is one file name, and different ones differ', () => {
  fc.assert(
    fc.property(anything, anything, (one, two) => {
      expect(fileKey(one)).toMatch(/^[a-z0-9][a-z0-9-]{0,79}$/)
      expect(fileKey(one) === fileKey(two)).toBe(one === two)
    }),
  )
})

test('what is sanitised is one part of a path, whatever it was', () => {
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
