// What loops remember, over the API: pages, filters, and forgetting.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { memoryLimits, type NewMemory } from '../../src/engine/index.ts'
import { afterStory } from '../after.ts'
import { type Api, openApi } from './api-fixture.ts'

const add = (api: Api, key: string, fields: Partial<NewMemory> = {}) =>
  api.host.journal.memory.add(
    {
      loop: 'triage',
      key,
      text: `about ${key}`,
      tags: ['triage', 'loop-state'],
      source: 'loop:triage',
      atMs: Date.now(),
      ...fields,
    },
    memoryLimits,
  )

const textsIn = (body: unknown): readonly string[] =>
  (body as { readonly items: readonly { readonly text: string }[] }).items.map(({ text }) => text)

test('facts are listed in pages, the newest first, without those that expired', async () => {
  const api = await openApi()
  for (const key of ['a', 'b', 'c']) await add(api, key)
  await add(api, 'old', { expiresAtMs: 1 })
  const first = await api.get('/memory?limit=2')
  expect(textsIn(first.body)).toEqual(['about c', 'about b'])
  const { next } = first.body as { readonly next: string }
  const second = await api.get(`/memory?limit=2&cursor=${next}`)
  expect(textsIn(second.body)).toEqual(['about a'])
  expect(second.body).not.toHaveProperty('next')
})

test('a fact has its source and its expiry, and not the key of its round', async () => {
  const api = await openApi()
  const expiresAtMs = Date.now() + 60_000
  const { id } = await add(api, 'a', { expiresAtMs, repository: '/shop' })
  const { status, body } = await api.get(`/memory/${id}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    id,
    loop: 'triage',
    repository: '/shop',
    text: 'about a',
    tags: ['triage', 'loop-state'],
    source: 'loop:triage',
    atMs: expect.any(Number),
    expiresAtMs,
  })
})

test('facts are found by loop, by words that are data, and by a folder in their repository', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-memory-')))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  const shop = join(folder, 'shop')
  mkdirSync(join(shop, 'src'), { recursive: true })
  execFileSync('git', ['init', '-q', shop])
  const api = await openApi()
  await add(api, 'here', { repository: shop })
  await add(api, 'there', { repository: join(folder, 'other') })
  await add(api, 'inner', { loop: 'sweeper', repository: join(shop, 'src') })
  expect(textsIn((await api.get('/memory?loop=sweeper')).body)).toEqual(['about inner'])
  expect(textsIn((await api.get('/memory?words=there%20OR%20NOT')).body)).toEqual(['about there'])
  expect(textsIn((await api.get(`/memory?workspace=${shop}`)).body)).toEqual(['about here'])
  // A loop that works in the folder itself comes before the repository.
  expect(textsIn((await api.get(`/memory?workspace=${shop}/src`)).body)).toEqual(['about inner'])
  await api.send('DELETE', '/memory?loop=sweeper')
  expect(textsIn((await api.get(`/memory?workspace=${shop}/src`)).body)).toEqual(['about here'])
  expect(await api.get('/memory?workspace=shop')).toMatchObject({ status: 400 })
})

test('forgetting removes one fact, or all of a loop in any number of pages, and nothing else', async () => {
  const api = await openApi()
  const one = await add(api, 'one', { loop: 'other' })
  const fact = { loop: 'triage', text: 'x', tags: [], source: 's', atMs: 1 }
  const adding = Array.from({ length: 501 }, (_, at) =>
    api.host.journal.memory.add({ ...fact, key: `${at}` }, { count: 1000, bytes: 1e6 }),
  )
  await Promise.all(adding)
  expect(await api.send('DELETE', '/memory')).toMatchObject({ status: 400 })
  expect((await api.send('DELETE', '/memory?loop=triage')).body).toEqual({ forgotten: 501 })
  expect(textsIn((await api.get('/memory')).body)).toEqual(['about one'])
  expect((await api.send('DELETE', `/memory/${one.id}`)).body).toEqual({ forgotten: 1 })
  for (const id of [one.id, 'm0', 'nothing']) {
    expect(await api.send('DELETE', `/memory/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'unknown-fact' },
    })
  }
})
