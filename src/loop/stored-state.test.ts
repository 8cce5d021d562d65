import { describe, expect, test } from 'vitest'
import type { TreeId } from './ids.ts'
import { stepId } from './ids.ts'
import type { OpenIteration } from './run-phase.ts'
import { initialState } from './state.ts'
import { readState, type StoredState } from './stored-state.ts'

const open: OpenIteration = { iteration: 3, fromSeq: 9, startedAtMs: 100, codeDigest: 'd' }
const nap = stepId('', 'sleep:nap', 1)
const tree = 'tree' as TreeId
const outcome = { type: 'stopped', by: 'ada', reason: 'enough' } as const

/** As a snapshot holds it: JSON without what is undefined. */
const stored = (members: Partial<StoredState>): StoredState =>
  JSON.parse(JSON.stringify({ ...initialState, ...members }))

describe('a stored state', () => {
  test.each<Partial<StoredState>>([
    { status: 'pending' },
    { status: 'running' },
    { status: 'running', open, suspendedTree: tree },
    { status: 'waiting', open },
    { status: 'waiting', open, waits: [nap] },
    { status: 'suspended', open, suspendedTree: tree },
    { status: 'paused' },
    { status: 'stopped', outcome, suspendedTree: tree },
  ])('is read as it was written: %j', (members) => {
    const state = readState(stored(members))
    expect(state).toEqual({ ...initialState, ...members })
    expect(Object.keys(state).toSorted()).toEqual(Object.keys(initialState).toSorted())
  })

  test('of an earlier version gets the members that came since', () => {
    const { allows: _allows, answers: _answers, metrics, ...before } = initialState
    const { tools: _tools, ...counted } = { ...metrics, steps: 4 }
    const earlier = JSON.parse(JSON.stringify({ ...before, metrics: counted }))
    expect(readState(earlier)).toEqual({ ...initialState, metrics: { ...metrics, steps: 4 } })
  })

  test.each<[string, Partial<StoredState>, Partial<StoredState>]>([
    [
      'waiting after its iteration ended: it is running',
      { status: 'waiting', lastEnding: { type: 'continue' } },
      { status: 'running', lastEnding: { type: 'continue' } },
    ],
    [
      'ended with a wait still open: it waits for nothing',
      { status: 'stopped', outcome, waits: [nap] },
      { status: 'stopped', outcome, waits: [] },
    ],
    [
      'running with a wait of an iteration that was left: it waits for nothing',
      { status: 'running', open, waits: [nap] },
      { status: 'running', open, waits: [] },
    ],
  ])('of an earlier version can be %s', (_name, members, expected) => {
    expect(readState(stored(members))).toEqual({ ...initialState, ...expected })
  })

  test('that ended without an outcome is refused', () => {
    expect(() => readState(stored({ status: 'failed' }))).toThrow('has no outcome')
  })
})
