import { describe, expect, test } from 'vitest'
import type { Answered } from '../../src/evidence/index.ts'
import { plainPlanter } from '../../src/evidence/plain-defects.ts'
import { base, codesOf, createWorld, mended, met, type Says, testsPass } from './certify-world.ts'

describe('a certificate', () => {
  test('is issued for honest work, after every check ran once in a clean place', async () => {
    const world = createWorld()
    expect(await world.certify(mended)).toEqual({ type: 'certified', certificate: 'c'.repeat(64) })
    // On the tree, and once on the base for its counts.
    expect(world.ran).toEqual(['test', 'test'])
    expect(world.opened).toHaveLength(1)
    expect(world.closed()).toBe(1)
    expect(world.issued[0]).toMatchObject({ sealedChanges: [], approvals: [], sealed: [] })
    expect(world.issued[0]?.own.map(({ result }) => result.status)).toEqual(['met'])
  })

  test('is not issued for what was stopped in the meantime', async () => {
    const stop = new AbortController()
    // After the last check has answered.
    const commandInstead = async (): Promise<string> => {
      stop.abort(new Error('stopped'))
      return 'npm test'
    }
    const world = createWorld({ parts: { commandInstead } })
    const certified = world.certify(mended, {}, { signal: stop.signal })
    await expect(certified).rejects.toThrow('stopped')
    expect(world.issued).toEqual([])
  })

  test('of a loop whose own code decides names no check', async () => {
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
  ] as const)('is not issued where a check is %s', async (status, code) => {
    const world = createWorld({ checks: { test: () => ({ status }), lint: () => ({}) } })
    expect(codesOf(await world.certify(mended))).toEqual([code])
    expect(world.issued).toEqual([])
    expect(world.closed()).toBe(1)
  })

  test('is not issued for what passed where the agent works and fails clean', async () => {
    const world = createWorld({ checks: { test: () => ({ status: 'not-met' }) } })
    expect(codesOf(await world.certify(mended, { evidence: { test: met() } }))).toEqual([
      'fails-clean',
    ])
    // Twice, since one answer could be chance, and once on the base: it failed before, too.
    expect(world.ran).toEqual(['test', 'test', 'test'])
  })

  test.each([
    [{ exitCode: 3, output: '' }, 'It exited with 3. It printed nothing.'],
    [{ exitCode: 137, output: ' ' }, 'It exited with 137: killed by SIGKILL. It printed nothing.'],
    [{ output: 'no' }, 'clean checkout. It printed:\nno'],
  ])('is not issued for a check that fails, and how it ended is said: %o', async (how, words) => {
    const world = createWorld({ checks: { test: () => ({ status: 'not-met', ...how }) } })
    const found = await world.certify(mended)
    expect(found.type === 'refused' && found.refusals[0]?.message).toContain(words)
  })

  test('is not refused when somebody stops it: a check that was cut short has not answered', async () => {
    const stop = new AbortController()
    const world = createWorld({
      checks: {
        test: () => {
          stop.abort(new Error('stopped'))
          return { status: 'error' }
        },
      },
    })
    const certifying = world.certify(mended, {}, { signal: stop.signal })
    await expect(certifying).rejects.toThrow('stopped')
    expect(world.closed()).toBe(1)
  })

  test('is not issued when a check throws, whatever it throws', async () => {
    const world = createWorld({
      checks: {
        test: () => {
          throw new Error('the tool crashed')
        },
      },
    })
    expect(codesOf(await world.certify(mended))).toEqual(['check-error'])
  })
})

describe('planted defects', () => {
  const teeth = {
    openPlanter: async () => plainPlanter,
    randomFrom: () => () => 0,
    limitMsMin: 20,
  }
  const isMended = (files: { readonly [path: string]: string }): boolean =>
    files['src/sum.js']?.startsWith(mended['src/sum.js'] ?? '?') === true &&
    files['test/sum.test.js'] === base['test/sum.test.js']

  test('are noticed by a check that does not come to an end any more', async () => {
    const hangs: Says = (files, _times, signal) => {
      const isKnown = ['a - b', 'b + a'].some((code) => files['src/sum.js']?.includes(`${code}\n`))
      if (isKnown && files['test/sum.test.js'] === base['test/sum.test.js']) return {}
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')))
      })
    }
    const world = createWorld({ checks: { test: hangs }, parts: { teeth } })
    const other = { ...base, 'src/sum.js': 'export const sum = (a, b) => b + a\n' }
    expect(codesOf(await world.certify(other))).toBe('certified')
    expect(world.issued[0]?.teeth?.noticed).toBeGreaterThan(0)
  })

  test('that nobody notices are named', async () => {
    const world = createWorld({ checks: { test: () => ({}) }, parts: { teeth, changes: 'refuse' } })
    expect(codesOf(await world.certify(mended))).toEqual(['toothless'])
  })

  test('are planted with what other checks make for the tests', async () => {
    const counts = { passed: 1, failed: 0, skipped: 0 }
    const world = createWorld({
      checks: {
        build: { says: () => ({}), outputs: ['dist'] },
        lint: () => ({}),
        test: (files) => ({ counts, status: isMended(files) ? 'met' : 'not-met' }),
      },
      parts: { teeth },
    })
    expect(codesOf(await world.certify(mended))).toBe('certified')
    // On the tree; on the base, each with what it needs; once more as the base would; for each defect.
    const planted = world.ran.slice(world.ran.findLastIndex((name) => name === 'lint') + 1)
    expect(planted.slice(0, 4)).toEqual(['build', 'test', 'build', 'test'])
  })

  test('are not planted where the work is refused anyway', async () => {
    const world = createWorld({ checks: { test: () => ({}) }, parts: { teeth, changes: 'refuse' } })
    const gone = { 'package.json': base['package.json'] ?? '', 'src/sum.js': mended['src/sum.js'] }
    expect(codesOf(await world.certify(gone))).toEqual(['sealed-changed'])
  })
})

describe('a check that changes files of the tree', () => {
  const writes = (files: { readonly [path: string]: string }): readonly string[] =>
    files['src/sum.js']?.includes('a + b') === true ? ['src/sum.js', 'log.txt'] : ['log.txt']

  test('is a question, and names those that it left alone before', async () => {
    const world = createWorld({ writes, parts: { changes: 'refuse' } })
    const found = await world.certify(mended)
    expect(codesOf(found)).toEqual(['tree-changed'])
    expect(JSON.stringify(found)).toContain('src/sum.js')
    expect(JSON.stringify(found)).not.toContain('log.txt')
  })

  test('as it did before the run is as it was', async () => {
    const world = createWorld({ writes: () => ['log.txt'] })
    expect(codesOf(await world.certify(mended))).toBe('certified')
  })
})

test('a runner that counts failures and ends well is a question', async () => {
  const failing = (files: { readonly [path: string]: string }): Partial<Answered> => ({
    status: files['src/sum.js'] === base['src/sum.js'] ? 'not-met' : 'met',
    counts: { passed: 1, failed: 1, skipped: 0 },
  })
  const refused = createWorld({ checks: { test: failing }, parts: { changes: 'refuse' } })
  expect(codesOf(await refused.certify(mended))).toEqual(['failed-tests'])
  // It did so before, too: whoever wrote the check wants it so.
  const usual = createWorld({ checks: { test: (files) => ({ ...failing(files), status: 'met' }) } })
  expect(codesOf(await usual.certify(mended))).toBe('certified')
})

describe('a flaky check', () => {
  const flaky: Says = (_files, times) => ({ status: times % 2 === 1 ? 'not-met' : 'met' })

  test('cannot certify alone', async () => {
    const world = createWorld({
      checks: { test: (_f, n) => ({ status: n === 1 ? 'not-met' : 'met' }) },
    })
    expect(codesOf(await world.certify(mended, { evidence: { test: met() } }))).toEqual(['flaky'])
    expect(world.ran.slice(0, 3)).toEqual(['test', 'test', 'test'])
  })

  test('counts beside a steady one, and its answers are named', async () => {
    const world = createWorld({
      checks: { wobbly: (_f, n) => ({ status: n === 1 ? 'not-met' : 'met' }), test: testsPass },
    })
    expect(codesOf(await world.certify(mended, { evidence: { wobbly: met() } }))).toBe('certified')
    expect(world.issued[0]?.own[0]).toMatchObject({
      answers: ['not-met', 'met', 'met'],
      result: { flaky: true, status: 'met' },
    })
  })

  test('cannot be asked until it says yes: the same files are not certified in a second try', async () => {
    const world = createWorld({
      checks: { test: (_f, n) => ({ status: n === 1 ? 'not-met' : 'met' }) },
    })
    const evidence = { test: met() }
    expect(codesOf(await world.certify(mended, { evidence }))).toEqual(['flaky'])
    const asked = world.ran.length
    expect(codesOf(await world.certify(mended, { evidence }))).toEqual(['flaky'])
    expect(world.ran).toHaveLength(asked)
  })

  test('is known from what it answered before, in whichever run', async () => {
    const parts = {
      answers: { read: async () => ['not-met' as const], write: async () => undefined },
    }
    const world = createWorld({ parts })
    expect(codesOf(await world.certify(mended))).toEqual(['flaky'])
  })

  test('that fails more often than not has failed', async () => {
    const world = createWorld({ checks: { wobbly: flaky, test: testsPass } })
    expect(codesOf(await world.certify(mended, { evidence: { wobbly: met() } }))).toEqual([
      'fails-clean',
    ])
  })
})

describe('counts of tests', () => {
  const counting =
    (now: Answered['counts']): Says =>
    (files) => {
      const isBase = files['src/sum.js'] === base['src/sum.js']
      const counts = isBase ? { passed: 9, failed: 1, skipped: 0 } : now
      return { status: isBase ? 'not-met' : 'met', ...(counts === undefined ? {} : { counts }) }
    }

  test.each([
    [{ passed: 9, failed: 0, skipped: 0 }, 'fewer-tests'],
    [{ passed: 10, failed: 0, skipped: 1 }, 'skipped-tests'],
    [undefined, 'no-counts'],
  ])('that are worse than before are asked about: %o', async (now, code) => {
    const world = createWorld({ checks: { test: counting(now) }, parts: { changes: 'refuse' } })
    expect(codesOf(await world.certify(mended))).toEqual([code])
  })

  test('that are more are welcome', async () => {
    const world = createWorld({ checks: { test: counting({ passed: 11, failed: 0, skipped: 0 }) } })
    expect(codesOf(await world.certify(mended))).toBe('certified')
  })
})

describe('a check that failed before the run began', () => {
  const lint = (existing: 'fix' | 'allow') => ({
    existing,
    says: () => ({ status: 'not-met', output: '3 warnings' }) as const,
  })

  test('may go on failing, no worse, where the loop says so', async () => {
    const world = createWorld({ checks: { test: testsPass, lint: lint('allow') } })
    expect(codesOf(await world.certify(mended))).toBe('certified')
    expect(world.issued[0]?.own[1]?.result).toMatchObject({ existing: true, allowed: true })
  })

  test('must be mended otherwise', async () => {
    const world = createWorld({ checks: { test: testsPass, lint: lint('fix') } })
    expect(codesOf(await world.certify(mended))).toEqual(['check-failed'])
  })

  test('may not fail in another way', async () => {
    const world = createWorld({
      checks: {
        test: testsPass,
        lint: {
          existing: 'allow',
          says: (files) => ({
            status: 'not-met',
            output: files['src/sum.js']?.includes('+') === true ? 'new' : 'old',
          }),
        },
      },
    })
    expect(codesOf(await world.certify(mended))).toEqual(['check-failed'])
  })
})

describe('a judge', () => {
  const judge = { kind: 'judge' as const, says: () => ({ status: 'met' as const }) }

  test('alone cannot certify where a command could', async () => {
    const world = createWorld({ checks: { review: judge } })
    expect(codesOf(await world.certify(mended))).toEqual(['judge-alone'])
  })

  test('can where none could', async () => {
    const world = createWorld({
      checks: { review: judge },
      parts: { commandInstead: async () => undefined },
    })
    expect(codesOf(await world.certify(mended))).toBe('certified')
  })
})
