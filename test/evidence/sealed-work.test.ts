import { describe, expect, test } from 'vitest'
import { RefusedError } from '../../src/evidence/index.ts'
import { base, codesOf, createWorld, mended, runTests } from './certify-world.ts'

describe('changes outside the scope', () => {
  const weakened = { ...mended, 'test/sum.test.js': "test('adds two', () => {})\n" }

  test('are reverted for a control run, and a person is asked once', async () => {
    const world = createWorld()
    const found = await world.certify(weakened)
    expect(found).toMatchObject({
      type: 'asks',
      question: { options: ['approve', 'reject'], default: 'reject' },
    })
    if (found.type !== 'asks') return
    expect(found.question.text).toContain('test/sum.test.js')
    expect(found.question.text).toContain('the checks pass too')
    expect(found.question.text).toContain('test/sum.test.js > adds nothing')
    const before = world.ran.length
    const answer = { key: found.key, answer: 'approve', by: 'person', who: 'kim' } as const
    expect(codesOf(await world.certify(weakened, { answers: [answer] }))).toBe('certified')
    // The results from before the question still hold.
    expect(world.ran).toHaveLength(before)
    expect(world.issued[0]).toMatchObject({
      approvals: [{ codes: ['sealed-changed', 'work-not-needed', 'fewer-tests'], by: 'kim' }],
      sealedChanges: [{ path: 'test/sum.test.js', what: 'changed' }],
      proof: { strength: { level: 'checks-pass' } },
    })
  })

  test('need no approval if only tests were added', async () => {
    const more = `${base['test/sum.test.js'] as string}test('adds more', () => {
  assert.equal(sum(2, 2), 4)
})
`
    const world = createWorld()
    const found = await world.certify({ ...mended, 'test/sum.test.js': more })
    expect(codesOf(found)).toBe('certified')
    expect(world.issued[0]?.proof?.tests?.[0]).toMatchObject({ added: 1, addedRedWithoutWork: 1 })
    expect(world.issued[0]?.proof?.controls?.map(({ name, held }) => [name, held])).toEqual([
      ['base-plus-work', true],
      ['other-environment', true],
      ['work-taken-back', true],
    ])
  })

  test('that add tests do not make the old ones pass', async () => {
    const world = createWorld({ parts: { changes: 'refuse' } })
    const found = await world.certify({
      ...base,
      'test/a.test.js': "test('mends', () => {\n  assert.equal(1, 1)\n})\n",
    })
    expect(codesOf(found)).toEqual(['check-failed'])
  })

  test('are refused after a rejection, and the question is not repeated', async () => {
    const world = createWorld()
    const found = await world.certify(weakened)
    if (found.type !== 'asks') throw new Error('It must ask.')
    const answers = [{ key: found.key, answer: 'reject', by: 'person' } as const]
    const codes = ['sealed-changed', 'work-not-needed', 'fewer-tests']
    expect(codesOf(await world.certify(weakened, { answers }))).toEqual(codes)
    expect(codesOf(await world.certify(weakened))).toEqual(codes)
    expect(world.issued).toEqual([])
  })

  test('do not help work that passes only its own tests', async () => {
    const cheat = { ...base, 'test/sum.test.js': "test('adds two', () => {})\n" }
    const world = createWorld({ parts: { changes: 'refuse' } })
    expect(codesOf(await world.certify(cheat))).toContain('sealed-failed')
  })

  test('are reverted even if no check opens them, because a test may expect their names', async () => {
    const observes = (files: Parameters<typeof runTests>[0]) => {
      const found = runTests(files)
      if (!Object.hasOwn(files, 'cases/any')) return found
      const tests = found.tests?.map((one) => ({ ...one, status: 'passed' as const })) ?? []
      return { ...found, tests, result: { status: 'met' as const, output: '' } }
    }
    const world = createWorld({ checks: { test: { observes } }, parts: { changes: 'refuse' } })
    const cheat = { ...base, 'src/sum.js': `${base['src/sum.js'] as string}//\n`, 'cases/any': '' }
    const found = await world.certify(cheat)
    expect(codesOf(found)).toContain('sealed-failed')
    if (found.type !== 'refused') return
    const { message } = found.refusals.find(({ code }) => code === 'sealed-failed') ?? {}
    expect(message).toContain('- cases/any')
    expect(codesOf(await world.certify({ ...mended, 'cases/more': '' }))).toBe('certified')
  })

  test('tests get a comment, which exposes code that recognizes their bytes', async () => {
    const path = 'test/sum.test.js'
    const observes = (files: Parameters<typeof runTests>[0]) => {
      const found = runTests(files)
      if (files['src/sum.js']?.includes('recognises') !== true) return found
      const isKnown = files[path] === base[path]
      const one = isKnown
        ? { status: 'passed' as const }
        : { status: 'failed' as const, message: files[path] ?? '' }
      const tests = found.tests?.map((known) => ({ ...known, ...one })) ?? []
      return {
        ...found,
        tests,
        result: { status: isKnown ? 'met' : 'not-met', output: '' } as const,
      }
    }
    const world = createWorld({ checks: { test: { observes } }, parts: { changes: 'refuse' } })
    const cheat = { ...base, 'src/sum.js': `${base['src/sum.js'] as string}// recognises\n` }
    expect(codesOf(await world.certify(cheat))).toEqual(['other-environment'])
  })

  test('a test that fails on the base only sometimes did not go from red to green', async () => {
    const file = 'test/clock.test.js'
    const withClock = {
      ...base,
      [file]: "test('at noon', () => {\n  assert.equal(sum(2, 1), 3)\n})\n",
    }
    const seen: string[] = []
    const observes = (files: Parameters<typeof runTests>[0]) => {
      const found = runTests(files)
      if (files['src/sum.js'] !== base['src/sum.js']) return found
      seen.push(Object.keys(files).join(' '))
      // The first run on the base was at another time.
      const isTime = (one: { readonly file: string }): boolean =>
        seen.length > 1 && one.file === file
      const tests = found.tests?.map((one) =>
        isTime(one) ? { ...one, status: 'passed' as const } : one,
      )
      return { ...found, ...(tests && { tests }) }
    }
    const world = createWorld({ checks: { test: { observes } } })
    const more = { 'test/more.test.js': "test('more', () => {\n  assert.equal(sum(2, 2), 4)\n})\n" }
    const work = { ...withClock, ...more, 'src/sum.js': mended['src/sum.js'] ?? '' }
    expect(codesOf(await world.certify(work, {}, {}, withClock))).toBe('certified')
    const [tests] = world.issued[0]?.proof?.tests ?? []
    expect(tests?.redToGreen.map(({ id }) => id)).toEqual(['test/sum.test.js > adds two'])
    expect(seen.filter((names) => !names.includes('more'))).toHaveLength(2)
  })

  describe('dependencies that cannot be installed', () => {
    const refusal = { code: 'dependencies', message: 'npm is missing. Install it.' }
    const open = () => Promise.reject(new RefusedError(refusal))

    test('are not the fault of the work if they are those of the base', async () => {
      await expect(createWorld({ parts: { open } }).certify(mended)).rejects.toMatchObject({
        code: 'dependencies-failed',
        message: 'npm is missing. Install it.',
      })
    })

    test('may be installed later if only a registry is unreachable', async () => {
      const later = () =>
        Promise.reject(new RefusedError({ ...refusal, code: 'registry-unreachable' }))
      await expect(createWorld({ parts: { open: later } }).certify(mended)).rejects.toMatchObject({
        code: 'workspace-failed',
      })
    })

    test('are the fault of the work if it adds them', async () => {
      const world = createWorld({ parts: { open } })
      const upgraded = { ...mended, 'package-lock.json': '{}' }
      const found = await world.certify(upgraded)
      if (found.type !== 'asks') throw new Error('It must ask.')
      const answers = [{ key: found.key, answer: 'approve', by: 'person' } as const]
      const end = await world.certify(upgraded, { answers })
      expect(end).toEqual({ type: 'refused', refusals: [refusal] })
    })
  })

  test('include dependencies, which are installed only after an approval', async () => {
    const upgraded = { ...mended, 'package-lock.json': '{}' }
    const world = createWorld()
    const found = await world.certify(upgraded)
    if (found.type !== 'asks') throw new Error('It must ask.')
    expect(world.opened).toEqual([])
    const answers = [{ key: found.key, answer: 'approve', by: 'person' } as const]
    const end = await world.certify(upgraded, { answers })
    expect(codesOf(end)).toBe('certified')
    expect(world.opened[0]?.lockfileTree).toBe(world.opened[0]?.tree)
  })
})
