import { describe, expect, test } from 'vitest'
import type { TreeId } from '../../loop/index.ts'
import {
  findSignal,
  initialWatchdog,
  lineSimilarity,
  type Observation,
  type WatchdogState,
  watch,
} from './watchdog.ts'

const tree = (name: string): TreeId => name as TreeId
const seen = (more: Partial<Observation> = {}): Observation => ({
  task: 0,
  settled: false,
  verificationFailed: false,
  checksImproved: false,
  before: tree('a'),
  after: tree('b'),
  report: 'Did some work.',
  patch: '+line',
  hint: 'none',
  ...more,
})
const unchanged = { after: tree('a') }
const last = { task: 0, report: 'Did some work.', patch: '+line' }
const state = (more: Partial<WatchdogState>): WatchdogState => ({ ...initialWatchdog, ...more })

describe('a signal', () => {
  test.each<[string, Partial<WatchdogState>, Partial<Observation>, string | undefined]>([
    ['none: work on a task', {}, {}, undefined],
    ['none: nothing changed, once', {}, unchanged, undefined],
    ['nothing changed, twice', { unchanged: 1 }, unchanged, 'no_progress'],
    [
      'nothing changed, and it says that it is stuck',
      {},
      { ...unchanged, report: 'I am stuck.' },
      'no_progress',
    ],
    ['nothing changed, and it was silent', {}, { ...unchanged, ended: 'idle' }, 'no_progress'],
    ['none: silent, but files changed', {}, { ended: 'idle' }, undefined],
    ['none: it says that it is stuck, but files changed', {}, { report: 'I am stuck.' }, undefined],
    [
      'none: nothing changed, but the task is settled',
      { unchanged: 5, last },
      { ...unchanged, settled: true },
      undefined,
    ],
    [
      'none: nothing changed, but a check passes now',
      { unchanged: 5, last },
      { ...unchanged, checksImproved: true },
      undefined,
    ],
    ['none: back to an earlier state, once', { trees: [tree('b'), tree('a')] }, {}, undefined],
    [
      'back to an earlier state, twice',
      { trees: [tree('b'), tree('a')], returns: 1 },
      {},
      'circular_diff',
    ],
    [
      'none: back, but the task is settled',
      { trees: [tree('b')], returns: 5 },
      { settled: true },
      undefined,
    ],
    ['the same report and the same change', { last }, {}, 'repeated_task'],
    ['none: the same report, another change', { last }, { patch: '+other' }, undefined],
    ['none: another report, the same change', { last }, { report: 'Tried otherwise.' }, undefined],
    ['none: the same report about another task', { last }, { task: 1 }, undefined],
    ['none: the same report, and the task is settled', { last }, { settled: true }, undefined],
    [
      'a malformed claim of completion',
      {},
      { ...unchanged, hint: 'malformed' },
      'malformed_complete',
    ],
    ['none: a malformed claim, but files changed', {}, { hint: 'malformed' }, undefined],
    [
      'failing checks, before anything else',
      { unchanged: 5, last, returns: 5, trees: [tree('b')] },
      { verificationFailed: true, hint: 'malformed' },
      'verification_failed',
    ],
    [
      'no progress before repetition and a malformed claim',
      { unchanged: 1, last },
      { ...unchanged, hint: 'malformed' },
      'no_progress',
    ],
    [
      'back and forth before repetition',
      { trees: [tree('b')], returns: 1, last },
      {},
      'circular_diff',
    ],
  ])('%s', (_what, before, observed, expected) => {
    expect(findSignal(state(before), seen(observed))).toBe(expected)
  })
})

describe('the watchdog', () => {
  test('rewrites twice, then gives up', () => {
    let now = initialWatchdog
    const signals = [1, 2, 3, 4, 5].map(() => {
      const { signal, next } = watch(now, seen({ ...unchanged, report: 'I am stuck' }), 2)
      now = next
      return [signal, next.rewrites, next.intervention?.number, next.failed]
    })
    expect(signals.slice(0, 3)).toEqual([
      ['no_progress', 1, 1, undefined],
      ['no_progress', 2, 2, undefined],
      ['no_progress', 2, undefined, 'no_progress'],
    ])
  })

  test('never rewrites, and never gives up, because checks fail', () => {
    let now = state({ rewrites: 2 })
    for (let index = 0; index < 10; index += 1) {
      const { signal, next } = watch(now, seen({ ...unchanged, verificationFailed: true }), 2)
      expect(signal).toBe('verification_failed')
      expect(next).toMatchObject({ rewrites: 2 })
      expect(next.failed).toBeUndefined()
      expect(next.intervention).toBeUndefined()
      now = next
    }
  })

  test('sees an edit that goes back and forth', () => {
    let now = initialWatchdog
    const fired: number[] = []
    for (let index = 0; index < 6; index += 1) {
      const [before, after] = index % 2 === 0 ? ['a', 'b'] : ['b', 'a']
      const report = `Attempt ${index}`
      const { signal, next } = watch(
        now,
        seen({ before: tree(before), after: tree(after), report }),
        2,
      )
      if (signal === 'circular_diff') fired.push(index)
      now = next
      if (next.failed !== undefined) break
    }
    expect(fired).toEqual([2, 3, 4])
    expect(now.failed).toBe('circular_diff')
  })

  test('lets a run that does one task per iteration work, however similar its reports are', () => {
    let now = initialWatchdog
    for (let index = 0; index < 200; index += 1) {
      const work = {
        task: index,
        settled: true,
        before: tree(`${index}`),
        after: tree(`${index + 1}`),
      }
      const { signal, next } = watch(now, seen(work), 2)
      expect(signal).toBeUndefined()
      now = next
    }
    expect(now.trees).toHaveLength(1)
  })

  test('keeps a limited amount of the past', () => {
    let now = initialWatchdog
    for (let index = 0; index < 50; index += 1) {
      const big = { report: 'x'.repeat(100_000), patch: '+y\n'.repeat(100_000) }
      const moved = { before: tree(`${index}`), after: tree(`${index + 1}`) }
      now = watch(now, seen({ ...big, ...moved, task: index }), 2).next
    }
    expect(JSON.stringify(now).length).toBeLessThan(12_000)
  })
})

test.each<[string, string, number]>([
  ['a\nb', 'a\nb', 1],
  ['a\nb', 'a\nc', 0.5],
  ['a', 'a\nb\nc\nd', 0.25],
  ['', 'a', 0],
])('%j and %j are similar by %d', (one, other, expected) => {
  expect(lineSimilarity(one, other)).toBe(expected)
})
