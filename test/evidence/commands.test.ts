import assert from 'node:assert/strict'
import { compileFunction } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { base, codesOf, createWorld, mended, textOf } from './certify-world.ts'

describe('a check that reports no tests', () => {
  const program = {
    ...base,
    'test/sum.test.js': '',
    'test/all.js': "import { sum } from '../src/sum.js'\nassert.equal(sum(1, 2), 3)\n",
  }
  const fixed = { ...program, 'src/sum.js': mended['src/sum.js'] ?? '' }
  /** Runs `test/all.js` as a program, in one function with the code under test. */
  const runProgram: NonNullable<Parameters<typeof createWorld>[0]>['checks'] = {
    test: {
      names: ['test/all.js'],
      observes: (files) => {
        const text = [files['src/sum.js'], files['test/all.js']].join('\n')
        const plain = text.replaceAll(/^import .*$/gm, '').replaceAll(/^export /gm, '')
        const read = ['src/sum.js', 'test/all.js', 'package.json']
        try {
          compileFunction(plain, ['assert'])(assert)
          return { read, result: { status: 'met', output: '' } }
        } catch (error) {
          return { read, result: { status: 'not-met', output: String(error) } }
        }
      },
    },
  }

  test('is certified if failures planted in its program make it fail', async () => {
    const world = createWorld({ checks: runProgram })
    expect(codesOf(await world.certify(fixed, {}, {}, program))).toBe('certified')
    // Candidate, base, two runs with planted failures, and the work alone.
    expect(world.ran).toHaveLength(5)
    expect(world.issued[0]?.proof).toMatchObject({
      strength: {
        level: 'work-alone',
        statements: expect.arrayContaining([
          'The command test failed on the base and passes. It reports no tests; failures planted in test/all.js made it fail.',
        ]) as string[],
      },
      commands: [
        {
          check: 'test',
          files: ['test/all.js'],
          ableToFail: ['after', 'value'],
          unnoticed: [],
          runsWork: true,
        },
      ],
    })
  })

  test('needs an approval if code of the work ends the program', async () => {
    const world = createWorld({ checks: runProgram })
    const ended = { ...program, 'src/sum.js': 'export const sum = () => 3\nreturn\n' }
    const found = await world.certify(ended, {}, {}, program)
    expect(found.type).toBe('asks')
    expect(textOf(found)).toContain('The check test reports no tests')
    expect(textOf(found)).toContain('- test/all.js')
  })

  test('is certified if it only reads the work, and says so', async () => {
    const isFine = (text = ''): boolean => text.includes('a + b')
    const world = createWorld({
      checks: {
        lint: {
          observes: (files) => ({
            read: ['src/sum.js', 'test/all.js'],
            result: { status: isFine(files['src/sum.js']) ? 'met' : 'not-met', output: '' },
          }),
        },
      },
    })
    expect(codesOf(await world.certify(fixed, {}, {}, program))).toBe('certified')
    expect(world.issued[0]?.proof?.strength?.statements).toContain(
      'The command lint failed on the base and passes. It reports no tests, and does not run the code of the work.',
    )
  })

  test('is certified even if it rejects restated expectations', async () => {
    const isFine = (text = ''): boolean => text.includes('a + b')
    const isPretty = (text = ''): boolean => !text.includes('=> {')
    const world = createWorld({
      checks: {
        format: {
          names: ['test/all.js'],
          observes: (files) => {
            const passes = isFine(files['src/sum.js']) && isPretty(files['test/all.js'])
            return {
              read: ['src/sum.js', 'test/all.js'],
              result: { status: passes ? 'met' : 'not-met', output: 'test/all.js' },
            }
          },
        },
      },
    })
    expect(codesOf(await world.certify(fixed, {}, {}, program))).toBe('certified')
  })

  test('says that no failure could be planted', async () => {
    const observes = (files: { readonly [path: string]: string }) => ({
      read: ['src/sum.js'],
      result: {
        status: files['src/sum.js']?.includes('+') === true ? 'met' : 'not-met',
        output: '',
      } as const,
    })
    const world = createWorld({ checks: { test: { observes } } })
    expect(codesOf(await world.certify(fixed, {}, {}, program))).toBe('certified')
    expect(world.issued[0]?.proof?.strength?.statements).toContain(
      'The command test failed on the base and passes. It reports no tests, and no failure could be planted in it.',
    )
  })
})
