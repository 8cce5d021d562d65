import { describe, expect, test } from 'vitest'
import { codesOf, createWorld, mended, met, runTests, type Says } from './certify-world.ts'

const tests = { observes: runTests }

describe('a flaky check', () => {
  const flaky: Says = (_files, times) => ({ status: times % 2 === 1 ? 'not-met' : 'met' })
  const once: Says = (_files, times) => ({ status: times === 1 ? 'not-met' : 'met' })

  test('cannot certify alone', async () => {
    const world = createWorld({ checks: { test: { says: once } } })
    expect(codesOf(await world.certify(mended, { evidence: { test: met() } }))).toEqual(['flaky'])
    expect(world.ran.slice(0, 3)).toEqual(['test', 'test', 'test'])
  })

  test('counts next to a stable one, and its results are listed', async () => {
    const world = createWorld({ checks: { wobbly: { says: once }, test: tests } })
    expect(codesOf(await world.certify(mended, { evidence: { wobbly: met() } }))).toBe('certified')
    expect(world.issued[0]?.own[0]).toMatchObject({
      answers: ['not-met', 'met', 'met'],
      result: { flaky: true, status: 'met' },
    })
  })

  test('is not repeated until it passes: the same files are not certified again', async () => {
    const world = createWorld({ checks: { test: { says: once } } })
    const evidence = { test: met() }
    expect(codesOf(await world.certify(mended, { evidence }))).toEqual(['flaky'])
    const asked = world.ran.length
    expect(codesOf(await world.certify(mended, { evidence }))).toEqual(['flaky'])
    expect(world.ran).toHaveLength(asked)
  })

  test('that fails more often than it passes has failed', async () => {
    const world = createWorld({ checks: { wobbly: { says: flaky }, test: tests } })
    expect(codesOf(await world.certify(mended, { evidence: { wobbly: met() } }))).toEqual([
      'fails-clean',
    ])
  })
})

describe('a check that failed before the run', () => {
  const lint = (existing: 'fix' | 'allow') => ({
    existing,
    says: () => ({ status: 'not-met', output: '3 warnings' }) as const,
  })

  test('may still fail, no worse, if the loop file allows it', async () => {
    const world = createWorld({ checks: { test: tests, lint: lint('allow') } })
    expect(codesOf(await world.certify(mended))).toBe('certified')
    expect(world.issued[0]?.own[1]?.result).toMatchObject({ existing: true, allowed: true })
  })

  test('must pass otherwise', async () => {
    const world = createWorld({ checks: { test: tests, lint: lint('fix') } })
    expect(codesOf(await world.certify(mended))).toEqual(['check-failed'])
  })

  test('may not fail in another way', async () => {
    const says: Says = (files) => ({
      status: 'not-met',
      output: files['src/sum.js']?.includes('+') === true ? 'new' : 'old',
    })
    const world = createWorld({ checks: { test: tests, lint: { existing: 'allow', says } } })
    expect(codesOf(await world.certify(mended))).toEqual(['check-failed'])
  })
})

describe('a judge', () => {
  const judge = { kind: 'judge' as const, says: () => ({ status: 'met' as const }) }

  test('alone cannot certify if a command could', async () => {
    const world = createWorld({ checks: { review: judge } })
    expect(codesOf(await world.certify(mended))).toEqual(['judge-alone'])
  })

  test('can certify if no command could', async () => {
    const world = createWorld({
      checks: { review: judge },
      parts: { findAlternativeCommand: async () => undefined },
    })
    expect(codesOf(await world.certify(mended))).toBe('certified')
  })
})
