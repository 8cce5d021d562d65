import { expect, test } from 'vitest'
import { initialState } from '../../loop/index.ts'
import type { ActionEntry } from '../../protocol/api/index.ts'
import type { Runs } from '../connection/runs.ts'
import { lookAtActionsOf } from './actions-at-end.ts'
import { allAtEnd } from './end-of-run.ts'
import type { RunEnd } from './run-end.ts'

const entry = (status: ActionEntry['status'], more: Partial<ActionEntry> = {}): ActionEntry => ({
  key: `2/${status}`,
  kind: 'merge',
  summary: 'Merge it',
  status,
  atMs: 1,
  iteration: 2,
  ...more,
})

const look = (entries: readonly ActionEntry[], end: RunEnd) => {
  const runs = {
    actions: async () => entries,
    inspect: async () => ({ run: { name: 'work' }, state: { ...initialState, iteration: 2 } }),
  } as unknown as Pick<Runs, 'actions' | 'inspect'>
  return allAtEnd([lookAtActionsOf({ hint: (text) => text }, runs, 'id')])(end)
}

const completed: RunEnd = {
  type: 'ended',
  outcome: { type: 'completed', condition: 'checks-pass' },
}

test('a completed run with an action that was not performed says so, with an exit code of its own', async () => {
  const failed = entry('failed', { reason: 'It conflicts.' })
  const found = await look([entry('done'), failed, entry('refused')], completed)
  expect(found?.exitCode).toBe(14)
  expect(found?.lines).toEqual([
    'warning: The action merge failed: It conflicts.',
    'warning: The action merge was refused: Merge it',
    'Look at its actions: loopctl actions work',
  ])
  expect(found?.value).toMatchObject({ undone: [{ status: 'failed' }, { status: 'refused' }] })
})

test('other ends, earlier iterations, later requests of people and level 1 are not reported', async () => {
  const facts = { level: 1, verified: true, filesChanged: 1, tokens: 0, costMicros: 0 } as const
  const { iteration: _none, ...later } = entry('failed')
  const others = [
    entry('done'),
    entry('failed', { iteration: 1 }),
    later,
    entry('refused', { facts }),
  ]
  expect(await look(others, completed)).toBeUndefined()
  const stuck: RunEnd = { type: 'ended', outcome: { type: 'stuck', condition: 'x', detail: '' } }
  expect(await look([entry('failed')], stuck)).toBeUndefined()
})
