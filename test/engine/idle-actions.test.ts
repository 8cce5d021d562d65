// Actions that a person requests on a run that has ended.

import { expect, test } from 'vitest'
import { type Actions, actIdle } from '../../src/engine/index.ts'
import type { Action } from '../../src/loop/index.ts'
import { createWorld, loopOf } from './fixture.ts'

const merge: Action = { kind: 'merge', summary: 'Merge it' }

function counting() {
  const performed: string[] = []
  const actions: Actions = {
    async perform(_action, key) {
      performed.push(key)
      return { status: 'done', summary: 'merged' }
    },
    find: async () => ({ type: 'not-done' }),
  }
  return { actions, performed }
}

async function endedRun() {
  const world = createWorld()
  const loop = loopOf<unknown>(async () => 1)
  const run = await world.start(loop, { limits: { iterations: 1 } })
  await world.finish(run, loop)
  return { world, run }
}

test('a policy that denies still denies what a person requests, and that is recorded', async () => {
  const { world, run } = await endedRun()
  const { actions, performed } = counting()
  const acting = actIdle(run, world, 'me', {
    action: merge,
    actions,
    by: 'ada',
    policy: () => ({ decision: 'deny', rules: ['no-merge'], reason: 'not this week' }),
  })
  await expect(acting).rejects.toMatchObject({
    code: 'wrong-status',
    message: 'Merge it: not this week. To see its rules, run: loopctl policy explain <run>',
  })
  expect(performed).toEqual([])
  expect(await world.only(run, 'action-recorded')).toMatchObject([
    { status: 'refused', policy: ['no-merge'], reason: 'not this week', requestedBy: 'ada' },
  ])
})

test('a person is the approval: who it was is recorded, with intent and receipt', async () => {
  const { world, run } = await endedRun()
  const { actions, performed } = counting()
  await actIdle(run, world, 'me', {
    action: merge,
    actions,
    by: 'ada',
    policy: () => ({ decision: 'allow', rules: ['base'] }),
  })
  expect(performed).toEqual([`${run}/person/merge#1`])
  expect(await world.only(run, 'action-recorded')).toMatchObject([
    { status: 'started', permission: { by: 'person', name: 'ada' }, policy: ['base'] },
    { status: 'done', receipt: { status: 'done' } },
  ])
  // The end of the run is still its end.
  expect((await world.state(run)).outcome).toBeDefined()
})

test('a person settles an unknown result: it happened, or is done again with the same key', async () => {
  const { world, run } = await endedRun()
  const { actions, performed } = counting()
  const lost: Actions = {
    perform: () => Promise.reject(new Error('reset')),
    find: async () => ({ type: 'unknown' }),
  }
  const request = { action: merge, by: 'ada' }
  await expect(actIdle(run, world, 'me', { ...request, actions: lost })).rejects.toThrow('unknown')
  await expect(actIdle(run, world, 'me', { ...request, actions: lost })).rejects.toThrow('unknown')
  await actIdle(run, world, 'me', { ...request, actions, earlier: 'again' })
  expect(performed).toEqual([`${run}/person/merge#1`])
})
