import { describe, expect, test } from 'vitest'
import type { Observation } from '../../src/evidence/index.ts'
import {
  base,
  codesOf,
  createWorld,
  mended,
  met,
  runTests,
  type Says,
  textOf,
} from './certify-world.ts'

describe('a certificate', () => {
  test('is issued for honest work, and says what went from red to green', async () => {
    const world = createWorld()
    expect(await world.certify(mended)).toEqual({ type: 'certified', certificate: 'c'.repeat(64) })
    // Candidate, base, two runs with planted failures, and the work alone in another environment.
    expect(world.ran).toHaveLength(5)
    // The other environment is at another path.
    expect(world.opened).toHaveLength(2)
    expect(world.closed()).toBe(2)
    const [issued] = world.issued
    expect(issued?.own.map(({ result }) => result.status)).toEqual(['met'])
    expect(issued?.proof?.strength).toMatchObject({
      level: 'red-to-green',
      required: 'work-alone',
      statements: expect.arrayContaining([
        '1 test went from red to green, shown able to fail.',
        '1 test stayed green.',
      ]) as string[],
    })
    expect(issued?.proof?.tests?.[0]).toMatchObject({
      redToGreen: [{ id: 'test/sum.test.js > adds two', ableToFail: ['after', 'value'] }],
      keptGreen: 1,
      notShownAbleToFail: [],
    })
    expect(issued?.proof?.changes).toEqual([{ path: 'src/sum.js', class: 'work' }])
  })

  test('reuses the results of the base', async () => {
    const world = createWorld()
    await world.certify(mended)
    const other = { ...mended, 'src/sum.js': 'export const sum = (a, b) => b + a\n' }
    expect(codesOf(await world.certify(other))).toBe('certified')
    expect(world.ran).toHaveLength(9)
  })

  test('is issued without planted failures in quick mode', async () => {
    const world = createWorld({ parts: { quick: true } })
    expect(codesOf(await world.certify(mended))).toBe('certified')
    expect(world.ran).toHaveLength(3)
    expect(world.issued[0]?.proof?.strength?.level).toBe('work-alone')
  })

  test('is refused if it is weaker than required', async () => {
    const world = createWorld({ parts: { required: 'red-to-green' } })
    const other = { ...mended, 'src/sum.js': 'export const sum = (a, b) => b + a\n' }
    expect(codesOf(await world.certify(other, {}, {}, mended))).toEqual(['too-weak'])
    expect(world.issued).toEqual([])
  })

  test('is not issued if the run was stopped in the meantime', async () => {
    const stop = new AbortController()
    // After the last check has finished.
    const alternativeCommand = async (): Promise<string> => {
      stop.abort(new Error('stopped'))
      return 'npm test'
    }
    const world = createWorld({ parts: { findAlternativeCommand: alternativeCommand } })
    const certified = world.certify(mended, {}, { signal: stop.signal })
    await expect(certified).rejects.toThrow('stopped')
    expect(world.issued).toEqual([])
  })

  test('of a loop whose own code decides lists no check', async () => {
    const world = createWorld()
    expect(codesOf(await world.certify(mended, { checks: [] }))).toBe('certified')
    expect(world.ran).toEqual([])
    expect(world.issued[0]?.own).toEqual([])
  })

  test.each([
    ['not-met', 'check-failed'],
    ['timeout', 'timeout'],
    ['error', 'check-error'],
    ['skipped', 'check-failed'],
  ] as const)('is not issued if a check is %s', async (status, code) => {
    const world = createWorld({ checks: { test: { says: () => ({ status }) }, lint: {} } })
    expect(codesOf(await world.certify(mended))).toEqual([code])
    expect(world.issued).toEqual([])
    // The second one was opened ahead.
    expect(world.closed()).toBe(2)
  })

  test('is not issued for work that passes in the workspace and fails in a clean checkout', async () => {
    const world = createWorld({ checks: { test: { says: () => ({ status: 'not-met' }) } } })
    expect(codesOf(await world.certify(mended, { evidence: { test: met() } }))).toEqual([
      'fails-clean',
    ])
    // Twice, because one result could be chance, and once on the base: it failed there as well.
    expect(world.ran).toEqual(['test', 'test', 'test'])
  })

  test.each([
    [{ exitCode: 3, output: '' }, 'It exited with 3. It printed nothing.'],
    [{ exitCode: 137, output: ' ' }, 'It exited with 137: killed by SIGKILL. It printed nothing.'],
    [{ output: 'no' }, 'clean checkout. It printed:\nno'],
  ])('is not issued for a failing check, and says how it ended: %o', async (how, words) => {
    const says = () => ({ status: 'not-met' as const, ...how })
    const world = createWorld({ checks: { test: { says } } })
    const found = await world.certify(mended)
    expect(found.type === 'refused' && found.refusals[0]?.message).toContain(words)
  })

  test('is not refused when it is stopped, because an interrupted check has no result', async () => {
    const stop = new AbortController()
    const says: Says = () => {
      stop.abort(new Error('stopped'))
      return { status: 'error' }
    }
    const world = createWorld({ checks: { test: { says } } })
    const certifying = world.certify(mended, {}, { signal: stop.signal })
    await expect(certifying).rejects.toThrow('stopped')
    // The second one was opened ahead.
    expect(world.closed()).toBe(2)
  })

  test('is not issued when a check throws', async () => {
    const says: Says = () => {
      throw new Error('the tool crashed')
    }
    const world = createWorld({ checks: { test: { says } } })
    expect(codesOf(await world.certify(mended))).toEqual(['check-error'])
  })
})

describe('tests that were not shown able to fail', () => {
  /** A runner in which product code makes these tests pass. */
  const subvert =
    (makesPass: (test: NonNullable<Observation['tests']>[number]) => boolean) =>
    (files: { readonly [path: string]: string }) => {
      const found = runTests(files)
      if (!files['src/sum.js']?.includes('bend')) return found
      const all = (found.tests ?? []).map((one) =>
        makesPass(one) ? { ...one, status: 'passed' as const } : one,
      )
      const isMet = all.every(({ status }) => status === 'passed')
      return {
        ...found,
        tests: all,
        result: { status: isMet ? 'met' : 'not-met', output: '' } as const,
      }
    }
  const faked = { ...base, 'src/sum.js': 'export const sum = (a, b) => a - b // bend\n' }

  test.each([
    ['by title', () => true],
    ['by its assertion', (one: { message?: string }) => one.message?.includes('!==') !== false],
    [
      'as long as it does not throw',
      (one: { message?: string }) => !one.message?.includes('planted'),
    ],
  ] as const)('need an approval if failures are swallowed %s', async (_how, makesPass) => {
    const world = createWorld({ checks: { test: { observes: subvert(makesPass) } } })
    const found = await world.certify(faked)
    expect(found.type).toBe('asks')
    expect(textOf(found)).toContain('not shown able to fail')
    expect(textOf(found)).toContain('test/sum.test.js > adds two')
  })
})

test('rules of a linter that runs before the tests do not keep planted failures from them', async () => {
  const observes = (files: { readonly [path: string]: string }) => {
    const text = files['test/sum.test.js'] ?? ''
    const isRefused = text.includes('planted') && !text.includes('eslint-disable no-throw */')
    const output = '  6:38  error  Unexpected throw  no-throw'
    return isRefused
      ? { tests: [], result: { status: 'not-met', output } as const }
      : runTests(files)
  }
  const world = createWorld({ checks: { test: { observes } } })
  expect(await world.certify(mended)).toMatchObject({ type: 'certified' })
})

test('a check whose linter refuses planted failures is answered with what to change', async () => {
  const observes = (files: { readonly [path: string]: string }) =>
    /planted/.test(files['test/sum.test.js'] ?? '')
      ? { tests: [], result: { status: 'not-met', output: 'error: unexpected throw' } as const }
      : runTests(files)
  const found = await createWorld({ checks: { test: { observes } } }).certify(mended)
  expect(found.type).toBe('asks')
  expect(textOf(found)).toContain(
    'the check fails before it runs any test ("error: unexpected throw")',
  )
  expect(textOf(found)).toContain('make that a separate check')
})

test('a comparison that accepts exactly the failing values needs an approval', async () => {
  const observes = (files: { readonly [path: string]: string }) => {
    const found = runTests(files)
    if (!files['src/sum.js']?.includes('bend')) return found
    const all = (found.tests ?? []).map((one) =>
      one.message?.includes('-1 !== 3') === true ? { ...one, status: 'passed' as const } : one,
    )
    const isMet = all.every(({ status }) => status === 'passed')
    const result = { status: isMet ? ('met' as const) : ('not-met' as const), output: '' }
    return { ...found, tests: all, result }
  }
  const world = createWorld({ checks: { test: { observes } } })
  const faked = { ...base, 'src/sum.js': 'export const sum = (a, b) => a - b // bend\n' }
  const found = await world.certify(faked)
  expect(found.type).toBe('asks')
  expect(textOf(found)).toContain('another environment')
})

describe('a check that writes files of the tree', () => {
  const writing = (written: (isMended: boolean) => readonly string[]) => ({
    observes: (files: { readonly [path: string]: string }) => ({
      ...runTests(files),
      written: written(files['src/sum.js']?.includes('a + b') === true),
    }),
  })

  test('leads to a question that names the files it did not write before', async () => {
    const more = writing((isMended) => (isMended ? ['src/sum.js', 'log.txt'] : ['log.txt']))
    const world = createWorld({ checks: { test: more }, parts: { changes: 'refuse' } })
    const found = await world.certify(mended)
    expect(codesOf(found)).toEqual(['tree-changed'])
    expect(textOf(found)).toContain('src/sum.js')
    expect(textOf(found)).not.toContain('log.txt')
  })

  test('is certified if it wrote them before the run as well', async () => {
    const world = createWorld({ checks: { test: writing(() => ['log.txt']) } })
    expect(codesOf(await world.certify(mended))).toBe('certified')
  })
})

describe('a report of the runner', () => {
  const reporting = (change: (found: ReturnType<typeof runTests>) => Partial<Observation>) => ({
    observes: (files: { readonly [path: string]: string }) => {
      const found = runTests(files)
      const isBase = files['src/sum.js'] === base['src/sum.js']
      return isBase ? found : { ...found, ...change(found) }
    },
  })

  test.each([
    ['no-report', () => ({ tests: undefined as never })],
    [
      'fewer-tests',
      ({ tests: all = [] }: ReturnType<typeof runTests>) => ({ tests: all.slice(1) }),
    ],
    [
      'skipped-tests',
      ({ tests: all = [] }: ReturnType<typeof runTests>) => ({
        tests: all.map((one, at) => (at === 0 ? { ...one, status: 'skipped' as const } : one)),
      }),
    ],
    [
      'failed-tests',
      ({ tests: all = [] }: ReturnType<typeof runTests>) => ({
        tests: all.map((one, at) => (at === 0 ? { ...one, status: 'failed' as const } : one)),
      }),
    ],
    [
      'report-unreliable',
      () => ({ problems: [{ code: 'extra-connection' as const, text: 'A process connected.' }] }),
    ],
    ['functions-replaced', () => ({ replaced: ['assert.equal'] })],
    ['reads-changed', () => ({ read: ['test/sum.test.js'] })],
  ] as const)('that differs from the base needs an approval: %s', async (code, change) => {
    const world = createWorld({
      checks: { test: reporting(change) },
      parts: { changes: 'refuse' },
    })
    expect(codesOf(await world.certify(mended))).toContain(code)
  })
})
