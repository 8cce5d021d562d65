// What a dashboard reads to watch over runs: the answers of their policies, and the attention that each loop needed.

import { expect, test } from 'vitest'
import { createPolicy } from '../../src/authority/policy/public.ts'
import type { LoopType } from '../../src/loop/index.ts'
import { type Api, type Fields, openApi } from './api-fixture.ts'

const counting = (iterations: number): LoopType<null, null, number, number> => ({
  name: 'counting',
  createContext: () => null,
  iterate: async (_context, it) => it.number,
  extractProgress: (made) => made,
  until: [{ type: 'max-iterations', iterations }],
})

const twice = `@id("twice") @reason("at most 2 iterations")
forbid (principal, action == Action::"iterate", resource) when { context.iteration > 2 };`

test('GET /runs/{run}/policy returns each answer with its rule and its numbers, in pages', async () => {
  const { host, get } = await openApi()
  const policy = await createPolicy([{ file: 'rules.cedar', text: twice, mode: 'enforce' }])
  const run = await host.start(counting(5), { input: null, name: 'strict', policy })
  expect(await run.done).toMatchObject({ outcome: { type: 'denied' } })
  const first = await get('/runs/strict/policy?limit=2')
  expect(first.body).toMatchObject({
    policy: { mode: 'enforce', files: [{ file: 'rules.cedar', mode: 'enforce' }] },
    allowedCalls: [],
    items: [
      { iteration: 1, decision: 'allow', rules: ['base'], context: { iteration: 1 } },
      { iteration: 2, decision: 'allow', rules: ['base'] },
    ],
  })
  const rest = await get(`/runs/strict/policy?limit=2&cursor=${String(first.body['next'])}`)
  expect(rest.body).toMatchObject({
    items: [{ iteration: 3, decision: 'deny', rules: ['twice'], reason: 'at most 2 iterations' }],
  })
  expect(Object.keys(rest.body).toSorted()).toEqual(['items', 'policy'])
  const same = await get('/runs/strict/policy?cursor=x')
  expect([same.status, (await get('/runs/none/policy')).status]).toEqual([400, 404])
})

test('a run without a policy has no answers', async () => {
  const { host, get } = await openApi()
  await (await host.start(counting(2), { input: null, name: 'free' })).done
  expect((await get('/runs/free/policy')).body).toEqual({ items: [], allowedCalls: [] })
})

const asking = (name: string, questions: number): LoopType<null, null, null, null> => ({
  name,
  createContext: () => null,
  async iterate(_context, it) {
    for (let nth = 0; nth < questions; nth++) {
      await it.ask(`q${nth}`, { text: '?', options: ['a'], default: 'a', deadlineMs: 1 })
    }
    return null
  },
  extractProgress: () => null,
  until: [{ type: 'max-iterations', iterations: 1 }],
})

const items = async ({ get }: Api, path: string): Promise<readonly Fields[]> => {
  const { status, body } = await get(path)
  expect(status).toBe(200)
  return body['items'] as readonly Fields[]
}

test('GET /attention sums up the questions of the runs of each loop', async () => {
  const api = await openApi()
  expect(await items(api, '/attention')).toEqual([])
  for (const loop of [asking('quiet', 0), asking('curious', 1), asking('curious', 2)]) {
    await (await api.host.start(loop, { input: null })).done
  }
  const waited = { waitedMs: expect.any(Number) }
  expect(await items(api, '/attention')).toEqual([
    { loop: 'curious', runs: 2, questions: 3, ...waited },
    { loop: 'quiet', runs: 1, questions: 0, waitedMs: 0 },
  ])
  expect(await items(api, '/attention?status=running')).toEqual([])
  expect(await items(api, `/attention?createdBefore=1`)).toEqual([])
  expect((await api.get('/attention?loops=1')).status).toBe(400)
})
