import { describe, expect, test } from 'vitest'
import { countPlateau, decideConvergence, type IterationOutcome } from './convergence.ts'

/** k: kept, d: dropped, s: skipped. */
const outcomes = (text: string, net = 0.1): readonly IterationOutcome[] =>
  text.split('').map((letter) => ({ kept: letter === 'k', measured: letter !== 's', net }))

const decide = (text: string, change: object = {}): unknown =>
  decideConvergence({ outcomes: outcomes(text), iterationsMax: 20, isAllPassing: false, ...change })

const plateau = (iterations: number, answer: string): object => ({
  type: 'ask',
  question: 'plateau',
  iterations,
  default: answer,
})

describe('the end of an iteration', () => {
  test.each([
    ['', { type: 'continue' }],
    ['k', { type: 'continue' }],
    ['kd', { type: 'continue' }],
    ['kdd', plateau(2, 'continue')],
    ['kddd', { type: 'continue' }],
    ['kdddd', { type: 'continue' }],
    ['kddddd', plateau(5, 'stop')],
    ['kdddddd', plateau(6, 'stop')],
    ['dddddk', { type: 'continue' }],
    ['kds', { type: 'continue' }],
    ['kdsd', plateau(2, 'continue')],
    ['kddsss', { type: 'continue' }],
  ])('after %s', (text, expected) => {
    expect(decide(text)).toEqual(expected)
  })

  test('all cases passing ends the loop before anything else', () => {
    expect(decide('ddddd', { isAllPassing: true })).toEqual({ type: 'stop', reason: 'all-pass' })
  })

  test('the limit of iterations ends it', () => {
    expect(decide('kkk', { iterationsMax: 3 })).toEqual({ type: 'stop', reason: 'iteration-limit' })
  })

  test('a loop that is worse than its baseline asks from the third iteration on', () => {
    expect(decide('kk', { outcomes: outcomes('kk', -0.1) })).toEqual({ type: 'continue' })
    expect(decide('kkk', { outcomes: outcomes('kkk', -0.1) })).toMatchObject({
      question: 'net-negative',
      default: 'stop',
    })
  })

  test('every loop ends: nobody answers, and nothing is kept', () => {
    let text = ''
    for (;;) {
      const next = decideConvergence({
        outcomes: outcomes(text),
        iterationsMax: 20,
        isAllPassing: false,
      })
      if (next.type === 'stop' || (next.type === 'ask' && next.default === 'stop')) break
      text += text.length % 3 === 0 ? 's' : 'd'
    }
    expect(countPlateau(outcomes(text))).toBe(5)
  })
})
