import { describe, expect, test } from 'vitest'
import type { Answered } from '../../src/evidence/certify/run-checks.ts'
import { RefusedError } from '../../src/evidence/index.ts'
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
    files['src/sum.js'] === mended['src/sum.js'] &&
    files['test/sum.test.js'] === base['test/sum.test.js']

  test('are noticed by a check that does not come to an end any more', async () => {
    const hangs: Says = (files, _times, signal) => {
      const isKnown = ['a - b', 'b + a'].some((code) => files['src/sum.js']?.endsWith(`${code}\n`))
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
    // On the tree; on the base, each with what it needs; then for each defect.
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

  test('that fails more often than not has failed', async () => {
    const world = createWorld({ checks: { wobbly: flaky, test: testsPass } })
    expect(codesOf(await world.certify(mended, { evidence: { wobbly: met() } }))).toEqual([
      'fails-clean',
    ])
  })
})

describe('what is sealed', () => {
  const weakened = { ...mended, 'test/sum.test.js': "test('sum', () => {})\n" }

  test('is laid over the work, and a person is asked once, with what passed', async () => {
    const world = createWorld()
    const found = await world.certify(weakened)
    expect(found).toMatchObject({
      type: 'asks',
      question: { options: ['approve', 'reject'], default: 'reject' },
    })
    if (found.type !== 'asks') return
    expect(found.question.text).toContain('test/sum.test.js')
    expect(found.question.text).toContain('the checks pass too')
    const before = world.ran.length
    const answer = { key: found.key, answer: 'approve', by: 'person', who: 'kim' } as const
    expect(codesOf(await world.certify(weakened, { answers: [answer] }))).toBe('certified')
    // What was found before the question still holds.
    expect(world.ran).toHaveLength(before)
    expect(world.issued[0]).toMatchObject({
      approvals: [{ codes: ['sealed-changed'], by: 'kim' }],
      sealedChanges: [{ path: 'test/sum.test.js', what: 'changed' }],
    })
  })

  test('is not changed against a no, and the same is not asked twice', async () => {
    const world = createWorld()
    const found = await world.certify(weakened)
    if (found.type !== 'asks') throw new Error('It must ask.')
    const answers = [{ key: found.key, answer: 'reject', by: 'person' } as const]
    expect(codesOf(await world.certify(weakened, { answers }))).toEqual(['sealed-changed'])
    expect(codesOf(await world.certify(weakened))).toEqual(['sealed-changed'])
    expect(world.issued).toEqual([])
  })

  test('decides: work that passes only its own tests says so', async () => {
    const cheat = { ...base, 'test/sum.test.js': 'nothing\n' }
    const world = createWorld({
      checks: {
        test: (files) => ({
          status:
            files['test/sum.test.js'] === 'nothing\n' || files['src/sum.js']?.includes('+')
              ? 'met'
              : 'not-met',
        }),
      },
      parts: { changes: 'refuse' },
    })
    expect(codesOf(await world.certify(cheat))).toEqual(['sealed-failed'])
  })

  test.each([
    ['the base', mended],
    ['the work', { ...mended, 'package-lock.json': '{}' }],
  ])(
    'dependencies that cannot be installed are a fault of whose they are: %s',
    async (whose, files) => {
      const refusal = { code: 'dependencies', message: 'npm is missing. Install it.' }
      const world = createWorld({
        parts: { open: () => Promise.reject(new RefusedError(refusal)) },
      })
      const found = await world.certify(files).catch((error: unknown) => error)
      if (whose === 'the base') {
        expect(found).toMatchObject({
          code: 'workspace-failed',
          message: 'npm is missing. Install it. Then resume the run.',
        })
        return
      }
      const { key } = found as { key: string }
      const answers = [{ key, answer: 'approve', by: 'person' } as const]
      expect(await world.certify(files, { answers })).toEqual({
        type: 'refused',
        refusals: [refusal],
      })
    },
  )

  test('is asked about with the diff first, and little of what was printed', async () => {
    const cheat = { ...base, 'test/sum.test.js': 'nothing\n' }
    const output = Array.from({ length: 70 }, (_, line) => `line ${line}`).join('\n')
    const world = createWorld({
      checks: {
        test: (files) =>
          files['test/sum.test.js'] === 'nothing\n' ? {} : { status: 'not-met', output },
      },
    })
    const found = await world.certify(cheat)
    if (found.type !== 'asks') throw new Error('It must ask.')
    const { text } = found.question
    expect(text.indexOf('The diff:')).toBeGreaterThan(text.indexOf('test/sum.test.js'))
    expect(text.indexOf('line 0')).toBeGreaterThan(text.indexOf('The diff:'))
    expect(text).toContain('line 9\n[… 50 lines]\nline 60')
    const answers = [{ key: found.key, answer: 'reject', by: 'person', who: 'ada' } as const]
    const end = await world.certify(cheat, { answers })
    // Whoever has to mend it wants all of it.
    const said = end.type === 'refused' ? (end.refusals[0]?.message ?? '') : ''
    expect(said).toMatch(/^ada was asked[^]*line 30/)
  })

  test('covers dependencies, which are installed only when approved of', async () => {
    const upgraded = { ...mended, 'package-lock.json': '{}' }
    const world = createWorld()
    const found = await world.certify(upgraded)
    if (found.type !== 'asks') throw new Error('It must ask.')
    expect(world.opened).toEqual([])
    const answers = [{ key: found.key, answer: 'approve', by: 'person' } as const]
    const end = await world.certify(upgraded, { answers })
    expect(codesOf(end)).toBe('certified')
    expect(world.opened[0]?.lockfileOf).toBe(world.opened[0]?.tree)
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
