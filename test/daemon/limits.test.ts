import { expect, test } from 'vitest'
import { createRun } from '../../src/engine/index.ts'
import type { RunId } from '../../src/loop/index.ts'
import { localUser } from '../../src/system/local-user.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'
import { loopOf } from '../engine/fixture.ts'
import { openApi } from './api-fixture.ts'

const id = '0190a000-0000-7000-8000-000000000001' as RunId

test('limits are changed over HTTP: who and why are journaled, and only what is named changes', async () => {
  const { host, send, get } = await openApi()
  const loop = loopOf<null>(async () => null)
  const ports = { journal: host.journal, blobs: host.blobs, clock: createManualClock(1000) }
  const limits = { iterations: 100, agents: { maker: { calls: 5, tokens: 9 } } }
  await createRun(loop, ports, { id, name: 'long', input: null, limits })
  const { status } = await send('PATCH', '/runs/long/limits', {
    limits: { iterations: 200, agents: { maker: { tokens: 90 } } },
    reason: 'almost there',
    by: 'anna',
  })
  expect(status).toBe(200)
  const { body } = await get('/runs/long')
  expect(body['state']).toMatchObject({
    limits: { iterations: 200, agents: { maker: { calls: 5, tokens: 90 } } },
  })
  const events = await host.journal.read(id)
  expect(events.map(({ event }) => event)).toContainEqual(
    expect.objectContaining({
      type: 'decision-applied',
      claimedBy: 'anna',
      decision: expect.objectContaining({ type: 'change-limits', reason: 'almost there' }),
    }),
  )
})

test('a limit that does not exist, or has the wrong form, is refused with its name', async () => {
  const { send } = await openApi()
  const refused = async (limits: object): Promise<string> =>
    (await send('PATCH', '/runs/any/limits', { limits })).text
  expect(await refused({ iteration: { iterations: 1 } })).toContain('body.limits.iteration')
  expect(await refused({ agents: { maker: { calls: -1 } } })).toContain(
    'body.limits.agents.maker.calls',
  )
  expect(await refused({ warnAt: 0.99 })).toContain('body.limits.warnAt')
})

test('who resets a run is the identity of the token; the name in the request is only claimed', async () => {
  const { host, send } = await openApi()
  const ports = { journal: host.journal, blobs: host.blobs, clock: createManualClock(1000) }
  await createRun(
    loopOf<null>(async () => null),
    ports,
    { id, name: 'long', input: null },
  )
  await send('POST', '/runs/long/reset', { by: 'anna' })
  const events = await host.journal.read(id)
  expect(events.map(({ event }) => event)).toContainEqual(
    expect.objectContaining({
      type: 'run-ended',
      outcome: expect.objectContaining({ by: `${localUser()} (as anna)` }),
    }),
  )
})
