import { expect, test } from 'vitest'
import { initialState, type RunState } from '../loop/index.ts'
import { toLoopPhase } from './phases.ts'

const by = { by: 'ann', reason: 'enough' }

test.each<[Partial<RunState>, string]>([
  [{ status: 'pending' }, 'initializing'],
  [{ status: 'running' }, 'running'],
  [{ status: 'waiting' }, 'running'],
  [{ status: 'suspended' }, 'running'],
  [{ status: 'paused' }, 'running'],
  [{ status: 'running', stop: by }, 'completing'],
  [{ status: 'waiting', cancel: by }, 'completing'],
  [{ status: 'completed', stop: by }, 'completed'],
  [{ status: 'cancelled', cancel: by }, 'completed'],
  [{ status: 'failed' }, 'error'],
  [{ status: 'stuck' }, 'error'],
])('a run that is %j is in the phase %s', (state, phase) => {
  expect(toLoopPhase({ ...initialState, ...state })).toBe(phase)
})
