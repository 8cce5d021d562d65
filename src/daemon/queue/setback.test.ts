import { expect, test } from 'vitest'
import { LoopError } from '../../loop/index.ts'
import { retryAfterMs, triesMax } from './setback.ts'

const full = new LoopError('store-failed', 'The disk is full.')

test('temporary failures are retried later each time, after five minutes at most', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 29].map((tries) => retryAfterMs(full, tries))
  const seconds = waits.map((ms) => (ms ?? 0) / 1000)
  expect(seconds).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})

test('but not forever', () => {
  expect(retryAfterMs(full, triesMax)).toBeUndefined()
})

test.each([
  ['a system out of space', Object.assign(new Error('no'), { code: 'ENOSPC' }), true],
  ['a folder that another run uses', new LoopError('workspace-busy', 'Wait.'), true],
  ['an untrusted loop file', new LoopError('not-trusted', 'Trust it.'), false],
  ['a missing loop file', new LoopError('not-configured', 'Put it back.'), false],
  ['a bug', new TypeError('x is not a function'), false],
  ['nothing at all', undefined, false],
])('%s', (_what, error, passes) => {
  expect(retryAfterMs(error, 0) !== undefined).toBe(passes)
})
