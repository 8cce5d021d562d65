// The merge queue as pages show it: a line for each branch, and why something was not merged.

import { expect, test } from 'vitest'
import type { NewMerge } from '../../src/engine/index.ts'
import type { TreeId } from '../../src/loop/index.ts'
import type { MergeLines } from '../../src/protocol/api/index.ts'
import { writeRun } from '../../src/testing/write-run.ts'
import { openApi } from './api-fixture.ts'

test('each line has what waits in it, in order, then what ended, with its reason', async () => {
  const { host, get } = await openApi()
  const { merges } = host.journal
  const read = async () => (await get('/merges')).body as unknown as MergeLines
  expect(await read()).toEqual({ items: [] })
  const tree = 'a'.repeat(40) as TreeId
  const add = async (name: string, target: string): Promise<void> => {
    const { run } = await writeRun(host.journal, { name })
    const request: NewMerge = {
      key: name,
      run,
      repository: '/shop/.git',
      target,
      branch: `run/${name}`,
      commit: 'c',
      tree,
      base: 'b',
      strategy: 'squash',
      message: 'm',
      queuedAtMs: 5,
    }
    await merges.add(request)
  }
  for (const name of ['first', 'second', 'third']) await add(name, 'agent/shop')
  await add('other', 'agent/other')
  const lease = await merges.acquire({ repository: '/shop/.git', target: 'agent/shop' }, 'me')
  if (lease === undefined) throw new Error('no lease')
  const conflict = { files: ['price.js'], onto: 'o', base: tree, tree }
  await merges.update(lease, [
    { key: 'first', progress: { state: 'conflict', reason: 'Both changed it.', conflict } },
  ])
  const { items } = await read()
  expect(items.map(({ target, isHeld }) => [target, isHeld])).toEqual([
    ['agent/shop', true],
    ['agent/other', false],
  ])
  const [shop] = items
  expect(shop?.requests.map(({ run, state, position }) => [run.name, state, position])).toEqual([
    ['second', 'queued', 1],
    ['third', 'queued', 2],
    ['first', 'conflict', undefined],
  ])
  expect(shop?.requests[2]).toMatchObject({ reason: 'Both changed it.', files: ['price.js'] })
})
