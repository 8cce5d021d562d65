import { describe, expect, test } from 'vitest'
import type { Json } from '../loop/index.ts'
import { createStuckWatch } from './stuck-watch.ts'

type Step = readonly [name: string, args: Json, result: string]

/** How often each call had been repeated, one after the other. */
function timesOf(steps: readonly Step[]): readonly number[] {
  const watch = createStuckWatch()
  return steps.map(([name, args, text]) =>
    watch.record({ id: '', name, args }, { id: '', name, ok: true, text }),
  )
}

const repeated = (times: number, ...steps: readonly Step[]): readonly Step[] =>
  Array.from({ length: times }, () => steps).flat()

describe('counts', () => {
  test('consecutive equal calls, whatever their results', () => {
    const steps = ['a', 'b', 'c', 'd'].map((text): Step => ['read', { path: 'x' }, text])
    expect(timesOf(steps)).toEqual([1, 2, 3, 4])
  })

  test('calls with the same arguments in another order as equal', () => {
    expect(
      timesOf([
        ['read', { a: 1, b: { c: 2, d: 3 } }, 'x'],
        ['read', { b: { d: 3, c: 2 }, a: 1 }, 'x'],
      ]),
    ).toEqual([1, 2])
  })

  test('loops of several calls', () => {
    const circle: readonly Step[] = [
      ['read', { path: 'a' }, 'one'],
      ['run', {}, 'failed after 12 ms'],
      ['read', { path: 'b' }, 'two'],
    ]
    expect(timesOf(repeated(7, ...circle)).at(-1)).toBe(7)
  })

  test('loops in which only numbers differ', () => {
    const steps = Array.from(
      { length: 12 },
      (_, n): Step =>
        n % 2 === 0 ? ['run', {}, `failed after ${n * 37} ms`] : ['read', { path: 'a' }, 'one'],
    )
    expect(Math.max(...timesOf(steps))).toBeGreaterThanOrEqual(5)
  })

  test('a file that is changed back and forth', () => {
    const steps = repeated(
      7,
      ['edit', { to: 'x' }, 'ok'],
      ['run', {}, 'x is wrong'],
      ['edit', { to: 'y' }, 'ok'],
      ['run', {}, 'y is wrong'],
    )
    expect(Math.max(...timesOf(steps))).toBeGreaterThanOrEqual(6)
  })
})

describe('does not count', () => {
  test('the same test between different edits', () => {
    const steps = Array.from({ length: 20 }, (_, n): readonly Step[] => [
      ['edit', { to: `version ${n}` }, 'ok'],
      ['run', { command: 'npm test' }, '1 failed'],
    ]).flat()
    expect(Math.max(...timesOf(steps))).toBe(1)
  })

  test('reading many files', () => {
    const steps = Array.from({ length: 50 }, (_, n): Step => ['read', { path: `${n}` }, 'same'])
    expect(Math.max(...timesOf(steps))).toBe(1)
  })
})
