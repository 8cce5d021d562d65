import { describe, expect, test } from 'vitest'
import { type Command, decide } from './decide.ts'
import { defined } from './defined.ts'
import type { Ending, Met } from './event.ts'
import type { Fault } from './fault.ts'
import type { CertificateId, TreeId } from './ids.ts'
import type { Outcome } from './outcome.ts'
import type { OpenIteration } from './run-phase.ts'
import { initialState, type RunState } from './state.ts'
import { readState, type StoredState } from './stored-state.ts'

const nowMs = 10_000
const open: OpenIteration = { iteration: 3, fromSeq: 9, startedAtMs: 100, codeDigest: 'd' }
const fault: Fault = { code: 'step-failed', message: 'it broke', retryable: false }
const completed: Ending = { type: 'complete', met: { condition: 'goal', ends: 'completed' } }
const waiting: Ending = { type: 'rate-limited', retryAtMs: nowMs + 500, message: 'not now' }
const by = { by: 'ada', reason: 'enough' }

const limits = (changed: Partial<RunState['limits']>): RunState['limits'] => ({
  ...initialState.limits,
  ...changed,
})
const error = (changed: Partial<Fault> = {}, met?: Met): Ending => ({
  type: 'error',
  fault: { ...fault, ...changed },
  recoverable: changed.fatal !== true,
  ...defined({ met }),
})
const finish = (outcome: Outcome): Command => ({ type: 'finish', outcome })
const exhausted = (limit: 'iterations' | 'tokens' | 'cost' | 'time' | 'deadline'): Command =>
  finish({ type: 'exhausted', limit, condition: `limits.${limit}` })

const tree = 'tree' as TreeId
const certificate = 'certificate' as CertificateId

/** A run whose third iteration is next. */
const running: Partial<StoredState> = {
  status: 'running',
  iteration: 2,
  lastEnding: { type: 'continue' },
  tree,
  certificate: { id: certificate, iteration: 2, tree },
}
const deciding = (state: Partial<StoredState>): Command =>
  decide(readState({ ...initialState, ...running, ...state }), nowMs)

describe('what a run does next', () => {
  test.each<[string, Partial<StoredState>, Command]>([
    ['the first iteration', { iteration: 0 }, { type: 'iterate', iteration: 1, again: false }],
    ['the next iteration', {}, { type: 'iterate', iteration: 3, again: false }],
    ['the open iteration, continued', { open }, { type: 'iterate', iteration: 3, again: true }],
    [
      'the same one after an interruption, which is not counted',
      { open, lastEnding: { type: 'interrupted', reason: 'shut down' } },
      { type: 'iterate', iteration: 3, again: true },
    ],
    [
      'the next one after an error that it can recover from',
      { lastEnding: error(), errors: { signature: 's', times: 2 } },
      { type: 'iterate', iteration: 3, again: false },
    ],
    [
      'a wait for a rate-limiting provider',
      { open, lastEnding: waiting },
      { type: 'wait', untilMs: nowMs + 500, why: 'not now' },
    ],
    [
      'the same iteration after that wait, not counted',
      { open, lastEnding: { ...waiting, retryAtMs: nowMs } },
      { type: 'iterate', iteration: 3, again: true },
    ],
    [
      'a wait that ends at the deadline at the latest',
      { open, lastEnding: waiting, limits: limits({ deadlineAtMs: nowMs + 200 }) },
      { type: 'wait', untilMs: nowMs + 200, why: 'not now' },
    ],
    ['nothing while it is paused', { pauseRequested: true }, { type: 'suspend', reason: 'paused' }],
    [
      'nothing while it is paused in the middle of an iteration',
      { pauseRequested: true, open },
      { type: 'suspend', reason: 'paused' },
    ],
    [
      'nothing while it is paused and rate limited',
      { pauseRequested: true, open, lastEnding: waiting },
      { type: 'suspend', reason: 'paused' },
    ],
    [
      'the rest of the open iteration before it stops',
      { stop: by, open },
      { type: 'iterate', iteration: 3, again: true },
    ],
    ['its end, when a person stops it', { stop: by }, finish({ type: 'stopped', ...by })],
    [
      'its end, when it has one',
      { outcome: { type: 'stopped', ...by } },
      finish({ type: 'stopped', ...by }),
    ],
  ])('%s', (_name, state, expected) => {
    expect(deciding(state)).toEqual(expected)
  })
})

describe('E5: complete means certified', () => {
  test.each<[string, Partial<StoredState>]>([
    ['no certificate', { certificate: undefined }],
    [
      'a certificate of another iteration',
      { certificate: { id: certificate, iteration: 1, tree } },
    ],
    ['a certificate of other files', { tree: 'other' as TreeId }],
    ['a certificate without files', { certificate: { id: certificate, iteration: 2 } }],
  ])('%s does not complete a run', (_name, state) => {
    const ends = [completed, error({}, { condition: 'goal', ends: 'completed' })]
    for (const lastEnding of ends) {
      const command = deciding({ ...state, lastEnding })
      expect(command).toMatchObject({
        outcome: { type: 'failed', fault: { code: 'not-certified', fatal: true } },
      })
    }
  })
})

describe('how a run ends', () => {
  test.each<[string, Partial<StoredState>, Command]>([
    ['a condition', { lastEnding: completed }, finish({ type: 'completed', condition: 'goal' })],
    [
      'a condition that means stuck',
      { lastEnding: { type: 'complete', met: { condition: 'c', ends: 'stuck', detail: 'why' } } },
      finish({ type: 'stuck', condition: 'c', detail: 'why' }),
    ],
    ...(
      [
        ['max-iterations', 'iterations'],
        ['deadline', 'deadline'],
        ['budget.tokens', 'tokens'],
        ['budget.cost', 'cost'],
        ['budget.time', 'time'],
      ] as const
    ).map(([condition, limit]): [string, Partial<StoredState>, Command] => [
      `the condition ${condition}`,
      { lastEnding: { type: 'complete', met: { condition, ends: 'exhausted' } } },
      finish({ type: 'exhausted', limit, condition }),
    ]),
    [
      'a condition met by an error',
      { lastEnding: error({}, { condition: 'same-error', ends: 'stuck', detail: 'd' }) },
      finish({ type: 'stuck', condition: 'same-error', detail: 'd' }),
    ],
    [
      'an error that nothing can recover from',
      { lastEnding: error({ code: 'bug', fatal: true }) },
      finish({ type: 'failed', fault: { ...fault, code: 'bug', fatal: true } }),
    ],
    ['a budget that ran out in it', { lastEnding: error({ limit: 'cost' }) }, exhausted('cost')],
    [
      'the same error three times',
      { lastEnding: error(), errors: { signature: 's', times: 3 } },
      finish({
        type: 'stuck',
        condition: 'limits.same-errors',
        detail: '3 times in a row: s',
      }),
    ],
    ['the number of iterations', { limits: limits({ iterations: 2 }) }, exhausted('iterations')],
    [
      'the tokens',
      { limits: limits({ tokens: 5 }), spent: { tokens: 5, costMicros: 0 } },
      exhausted('tokens'),
    ],
    [
      'the money',
      { limits: limits({ costMicros: 5 }), spent: { tokens: 0, costMicros: 6 } },
      exhausted('cost'),
    ],
    ['the time', { limits: limits({ timeMs: 5 }), activeMs: 5 }, exhausted('time')],
    ['the deadline', { limits: limits({ deadlineAtMs: nowMs }) }, exhausted('deadline')],
  ])('%s', (_name, state, expected) => {
    expect(deciding(state)).toEqual(expected)
  })
})

describe('precedence', () => {
  const everyLimit = limits({
    iterations: 0,
    tokens: 0,
    costMicros: 0,
    timeMs: 0,
    deadlineAtMs: 0,
  })

  test.each<[string, Partial<StoredState>, string]>([
    ['success before every limit', { lastEnding: completed, limits: everyLimit }, 'completed'],
    ['success before a stop', { lastEnding: completed, stop: by }, 'completed'],
    ['success before a pause', { lastEnding: completed, pauseRequested: true }, 'completed'],
    ['cancel before success', { lastEnding: completed, cancel: by }, 'cancelled'],
    ['cancel before the end of its iteration', { open, cancel: by }, 'cancelled'],
    ['cancel before a stop', { cancel: by, stop: by }, 'cancelled'],
    ['cancel before a pause', { cancel: by, pauseRequested: true }, 'cancelled'],
    ['a stop before the limits', { stop: by, limits: everyLimit }, 'stopped'],
    ['the limits before a pause', { pauseRequested: true, limits: everyLimit }, 'exhausted'],
    [
      'an existing end before everything else',
      { outcome: { type: 'stopped', ...by }, cancel: by },
      'stopped',
    ],
  ])('%s', (_name, state, expected) => {
    const command = deciding(state)
    expect(command.type === 'finish' ? command.outcome.type : command.type).toBe(expected)
  })

  test('an open iteration is finished even if it is the last one and the budget is spent', () => {
    const state = { open, limits: limits({ iterations: 2, tokens: 0, costMicros: 0 }) }
    expect(deciding(state)).toEqual({ type: 'iterate', iteration: 3, again: true })
  })

  test.each<[string, Partial<StoredState>, Command]>([
    ['its time', { open, limits: limits({ timeMs: 5 }), activeMs: 9 }, exhausted('time')],
    ['its deadline', { open, limits: limits({ deadlineAtMs: 5 }) }, exhausted('deadline')],
    [
      'its deadline while it waits for a window',
      { open, lastEnding: waiting, limits: limits({ deadlineAtMs: nowMs }) },
      exhausted('deadline'),
    ],
  ])('an iteration in progress is not continued after %s', (_name, state, expected) => {
    expect(deciding(state)).toEqual(expected)
  })
})

test('the same state and time always give the same command', () => {
  const state = readState({ ...initialState, ...running, lastEnding: waiting, open })
  expect(decide(state, nowMs)).toEqual(decide(structuredClone(state), nowMs))
})
