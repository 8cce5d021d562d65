// Levels over the API: what people decide, and who may not.

import { expect, test } from 'vitest'
import type { NewLevelChange } from '../../src/engine/index.ts'
import { warmLoopctl } from '../warm-loopctl.ts'
import { type Api, openApi } from './api-fixture.ts'
import { startDaemon } from './start-daemon.ts'

const scope = { loop: 'sweeper', repository: '/shop', kind: 'open-pr' }

const change = (api: Api, fields: Partial<NewLevelChange>) =>
  api.host.journal.trust.record({
    ...scope,
    key: 'k',
    cause: 'proposed',
    starting: 1,
    by: 'evidence',
    reason: 'ten of ten',
    details: { to: 2 },
    atMs: Date.now(),
    ...fields,
  })

test('a proposal is accepted once, by the one who asks; what is missing is refused', async () => {
  const api = await openApi()
  expect((await api.get('/levels')).body).toEqual({ items: [], escapes: [] })
  await change(api, {})
  const accept = { loop: 'sweeper', accept: true, by: 'ada' }
  const { body, status } = await api.send('POST', '/levels', accept)
  expect(status).toBe(200)
  expect(body).toMatchObject({ level: 2, history: [{ cause: 'granted' }, { cause: 'proposed' }] })
  expect(await api.send('POST', '/levels', accept)).toMatchObject({ status: 409 })
  const wrong = [
    { loop: 'sweeper' },
    { loop: 'sweeper', level: 2, accept: true, reason: 'both' },
    { loop: 'sweeper', level: 2 },
    { loop: 'sweeper', level: 4, reason: 'x' },
    { loop: 'sweeper', level: 2, reason: ' ' },
    { loop: 'other', level: 2, reason: 'x' },
    { loop: 'sweeper', level: 2, reason: 'x', workspace: 'shop' },
    { loop: 'sweeper', bars: { 2: { bar: 2, minimum: 1 } }, reason: 'x' },
  ]
  for (const one of wrong) {
    const { status: answered } = await api.send('POST', '/levels', one)
    expect([one, answered]).toEqual([one, 400])
  }
  const changes = await api.get('/levels/changes?loop=sweeper&limit=1')
  expect(changes.body).toMatchObject({ items: [{ cause: 'granted' }], next: expect.any(String) })
})

test('a proposal is void once the level changed, and several kinds need a choice', async () => {
  const api = await openApi()
  await change(api, {})
  await change(api, { key: 'e', cause: 'escape', level: 1 })
  const accept = { loop: 'sweeper', accept: true }
  expect(await api.send('POST', '/levels', accept)).toMatchObject({ status: 409 })
  await change(api, { key: 'other', kind: 'comment' })
  const refused = await api.send('POST', '/levels', accept)
  expect(refused).toMatchObject({ status: 400 })
  expect(refused.text).toContain('Pass --kind')
  const chosen = await api.send('POST', '/levels', { ...accept, kind: 'comment' })
  expect(chosen.body).toMatchObject({ level: 2, kind: 'comment' })
})

test('a read-only token can look at levels, and not change them', async () => {
  const daemon = await startDaemon()
  const ctl = (token: string | undefined, ...args: string[]) =>
    warmLoopctl(args, {
      PATH: process.env['PATH'] ?? '',
      HOME: daemon.state,
      LOOPWRIGHT_STATE: daemon.state,
      ...(token === undefined ? {} : { LOOPD_TOKEN: token }),
    })
  const added = await ctl(undefined, '--json', 'daemon', 'token', 'add', 'kim', '--read-only')
  const { token } = JSON.parse(added.stdout) as { readonly token: string }
  expect(await ctl(token, 'levels')).toMatchObject({ code: 0 })
  const set = ['levels', 'set', 'x', '3', '--kind', 'merge', '--repo', '/', '--reason', 'r']
  const refused = await ctl(token, ...set)
  expect(refused.code).toBe(77)
  expect(refused.stderr).toContain('read-only')
  expect(await ctl(undefined, ...set)).toMatchObject({ code: 0 })
})
