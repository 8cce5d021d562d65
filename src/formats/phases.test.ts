import { expect, test } from 'vitest'
import type { RunState } from '../loop/index.ts'
import { toLoopPhase } from './phases.ts'

const by = { by: 'ann', reason: 'enough' }

test.each<[Pick<RunState, 'status' | 'stop' | 'cancel'>, string]>([
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
  expect(toLoopPhase(state)).toBe(phase)
})
