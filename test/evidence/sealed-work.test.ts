import { describe, expect, test } from 'vitest'
import { RefusedError } from '../../src/evidence/index.ts'
import { base, codesOf, createWorld, mended } from './certify-world.ts'

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

  describe('dependencies that cannot be installed', () => {
    const refusal = { code: 'dependencies', message: 'npm is missing. Install it.' }
    const open = () => Promise.reject(new RefusedError(refusal))

    test('are no fault of the work where they are those of the base', async () => {
      await expect(createWorld({ parts: { open } }).certify(mended)).rejects.toMatchObject({
        code: 'dependencies-failed',
        message: 'npm is missing. Install it.',
      })
    })

    test('may be installed later where only a registry cannot be reached', async () => {
      const later = () =>
        Promise.reject(new RefusedError({ ...refusal, code: 'registry-unreachable' }))
      await expect(createWorld({ parts: { open: later } }).certify(mended)).rejects.toMatchObject({
        code: 'workspace-failed',
      })
    })

    test('are one where the work brings them', async () => {
      const world = createWorld({ parts: { open } })
      const upgraded = { ...mended, 'package-lock.json': '{}' }
      const found = await world.certify(upgraded)
      if (found.type !== 'asks') throw new Error('It must ask.')
      const answers = [{ key: found.key, answer: 'approve', by: 'person' } as const]
      const end = await world.certify(upgraded, { answers })
      expect(end).toEqual({ type: 'refused', refusals: [refusal] })
    })
  })

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
    const diffAt = text.indexOf('Changed outside the work (1 file):')
    expect(diffAt).toBeGreaterThan(text.indexOf('test/sum.test.js'))
    expect(text.indexOf('line 0')).toBeGreaterThan(diffAt)
    expect(text).toContain('line 9\n[… 50 lines]\nline 60')
    const answers = [{ key: found.key, answer: 'reject', by: 'person', who: 'ada' } as const]
    const end = await world.certify(cheat, { answers })
    // Whoever has to mend it wants all of it.
    const said = end.type === 'refused' ? (end.refusals[0]?.message ?? '') : ''
    expect(said).toMatch(/^ada did not approve this[^]*line 30/)
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
