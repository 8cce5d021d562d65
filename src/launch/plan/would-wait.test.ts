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

const inPlace = (workspace: string) => ({ workspace, isInPlace: true })

describe('a new run', () => {
  test('starts at once if a slot and its workspace are free', () => {
    expect(wouldWait([driven('a', '/x')], limits, inPlace('/y'))).toEqual({ waitsFor: 'nothing' })
    const asking = { ...driven('a', '/x'), waitsFor: 'person' } as const
    expect(wouldWait([asking, driven('b', '/y')], limits, inPlace('/x'))).toEqual({
      waitsFor: 'nothing',
    })
  })

  test('waits for the run in its workspace', () => {
    expect(wouldWait([driven('a', '/x')], limits, inPlace('/x'))).toEqual({
      waitsFor: 'workspace',
      why: 'waits for workspace /x (a)',
    })
  })

  test('works beside others in their worktrees, and waits for one in the same folder', () => {
    const many = { maxConcurrentRuns: 3, maxRunsPerWorkspace: 3 }
    const beside = { ...driven('a', '/x'), place: '/x.run-a' }
    expect(wouldWait([beside], many, inPlace('/x'))).toEqual({ waitsFor: 'nothing' })
    const there = { ...driven('b', '/x'), place: '/x' }
    expect(wouldWait([there], many, inPlace('/x')).waitsFor).toBe('workspace')
    expect(wouldWait([there], many, { workspace: '/x', isInPlace: false }).waitsFor).toBe('nothing')
  })

  test('waits for a slot if all are taken, or others already wait for one', () => {
    const full = [driven('a', '/x'), driven('b', '/y')]
    expect(wouldWait(full, limits, inPlace('/z')).why).toBe(
      'waits for a slot: 2 of 2 runs are at work',
    )
    expect(wouldWait([driven('a', '/x'), queued('c')], limits, inPlace('/z')).why).toBe(
      'waits for a slot: 1 of 2 runs are at work, and 1 wait for one',
    )
  })
})
