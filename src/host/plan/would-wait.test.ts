import { describe, expect, test } from 'vitest'
import type { QueueEntry } from '../../protocol/api/index.ts'
import { wouldWait } from './would-wait.ts'

const limits = { maxConcurrentRuns: 2, maxRunsPerWorkspace: 1 }

const driven = (name: string, workspace: string): QueueEntry => ({
  run: name,
  name,
  state: 'driven',
  workspace,
  priority: 0,
  queuedAtMs: 0,
})
const queued = (name: string): QueueEntry => ({
  ...driven(name, '/other'),
  state: 'queued',
  position: 1,
  waitsFor: 'slot',
})

describe('a new run', () => {
  test('begins at once where there is a slot and nobody in its workspace', () => {
    expect(wouldWait([driven('a', '/x')], limits, '/y')).toEqual({ waitsFor: 'nothing' })
    const asking = { ...driven('a', '/x'), waitsFor: 'person' } as const
    expect(wouldWait([asking, driven('b', '/y')], limits, '/x')).toEqual({ waitsFor: 'nothing' })
  })

  test('waits for whoever is in its workspace', () => {
    expect(wouldWait([driven('a', '/x')], limits, '/x')).toEqual({
      waitsFor: 'workspace',
      why: 'waits for workspace /x (a)',
    })
  })

  test('waits for a slot where all are taken, or others wait for one', () => {
    const full = [driven('a', '/x'), driven('b', '/y')]
    expect(wouldWait(full, limits, '/z').why).toBe('waits for a slot: 2 of 2 runs are at work')
    expect(wouldWait([driven('a', '/x'), queued('c')], limits, '/z').why).toBe(
      'waits for a slot: 1 of 2 runs are at work, and 1 wait for one',
    )
  })
})
