/** Runs: creating, finding, listing. */

import assert from 'node:assert/strict'
import type { NewRun, RunPageOptions, Store } from '../../engine/index.ts'
import { defaultLimits, type RunCreated, type RunId } from '../../loop/index.ts'
import { writeRun } from '../write-run.ts'
import { begin, end, ended, refuses, type StoreCase, started } from './store-case.ts'

const created: RunCreated = {
  type: 'run-created',
  eventVersion: 1,
  loop: 'written',
  codeDigest: 'digest',
  limits: defaultLimits,
}

const newRun = (name: string, fields: Partial<NewRun> = {}): NewRun => ({
  id: `id-${name}` as RunId,
  name,
  loop: 'written',
  atMs: 1000,
  event: created,
  blobs: [],
  trees: [],
  ...fields,
})

const names = (rows: readonly { readonly name: string }[]): readonly string[] =>
  rows.map(({ name }) => name)

async function createSome(store: Store): Promise<void> {
  await writeRun(store, { id: '0191-aaaa', name: 'brave-otter' })
  await writeRun(store, { id: '0191-aabb', name: 'brave-owl' })
  await writeRun(store, { id: '0192-cccc', name: 'calm_fox' })
}

const finding: readonly StoreCase[] = [
  {
    name: 'finds a run by id, by name, and by a unique prefix',
    async play(store) {
      await createSome(store)
      for (const [text, name] of [
        ['0191-aaaa', 'brave-otter'],
        ['brave-owl', 'brave-owl'],
        ['0191-aab', 'brave-owl'],
        ['brave-ot', 'brave-otter'],
        ['calm_', 'calm_fox'],
      ] as const) {
        assert.equal((await store.findRun(text)).name, name)
      }
      await writeRun(store, { name: 'brave' })
      assert.equal((await store.findRun('brave')).name, 'brave')
    },
  },
  {
    name: 'refuses an ambiguous prefix, and lists the matches',
    async play(store) {
      await createSome(store)
      const { details } = await refuses(store.findRun('brave-o'), 'ambiguous-run')
      assert.deepEqual(details?.['candidates'], [
        { id: '0191-aaaa', name: 'brave-otter' },
        { id: '0191-aabb', name: 'brave-owl' },
      ])
    },
  },
  {
    name: 'refuses a prefix that matches no run',
    async play(store) {
      await createSome(store)
      for (const text of ['', '%', '_', '%fox', 'other', 'calm\\_', 'calmXfox', "'; --"]) {
        await refuses(store.findRun(text), 'unknown-run')
      }
    },
  },
  {
    name: 'refuses a name that is taken, and keeps the first run',
    async play(store) {
      await writeRun(store, { id: 'first', name: 'brave-otter' })
      await refuses(writeRun(store, { id: 'second', name: 'brave-otter' }), 'name-taken')
      await refuses(writeRun(store, { id: 'first', name: 'other' }), 'name-taken')
      assert.deepEqual(names(await store.listRuns()), ['brave-otter'])
    },
  },
  {
    name: 'creates a fork only while its origin exists',
    async play(store) {
      const fork = (run: string): RunCreated => ({
        ...created,
        origin: { type: 'fork', run: run as RunId, iteration: 1 },
      })
      await refuses(store.createRun(newRun('fork', { event: fork('gone') })), 'unknown-run')
      assert.deepEqual(await store.listRuns(), [])
      await store.createRun(newRun('origin'))
      await store.createRun(newRun('fork', { event: fork('id-origin') }))
      assert.deepEqual(names(await store.listRuns()), ['fork', 'origin'])
    },
  },
  {
    name: 'keeps the row of a run in sync with its events',
    async play(store) {
      const { run, name, write } = await writeRun(store, { workspace: '/work', atMs: 77 })
      assert.deepEqual(await store.findRun(run), {
        id: run,
        name,
        loop: 'written',
        status: 'pending',
        iteration: 0,
        workspace: '/work',
        createdAtMs: 77,
        updatedAtMs: 77,
        lastSeq: 1,
        held: false,
        interrupted: false,
      })
      await write(started, begin(1), end(1), begin(2), end(2))
      const { status, iteration, lastSeq } = await store.findRun(run)
      assert.deepEqual([status, iteration, lastSeq], ['running', 2, 6])
      await write({ type: 'run-rewound', toIteration: 1 }, { type: 'run-suspended', reason: '' })
      const rewound = await store.findRun(run)
      assert.deepEqual([rewound.status, rewound.iteration], ['suspended', 1])
    },
  },
  {
    name: 'shows the iteration that a run was created with',
    async play(store) {
      await store.createRun(newRun('fork', { event: { ...created, iteration: 4 } }))
      assert.equal((await store.findRun('fork')).iteration, 4)
    },
  },
]

const listing: readonly StoreCase[] = [
  {
    name: 'lists runs newest first, by status and up to a limit',
    async play(store) {
      for (const name of ['a', 'b', 'c', 'd']) {
        const { write } = await writeRun(store, { name })
        if (name === 'b' || name === 'd') await write(started)
      }
      assert.deepEqual(names(await store.listRuns()), ['d', 'c', 'b', 'a'])
      assert.deepEqual(names(await store.listRuns({ status: 'running' })), ['d', 'b'])
      assert.deepEqual(names(await store.listRuns({ limit: 3 })), ['d', 'c', 'b'])
      assert.deepEqual(await store.listRuns({ status: 'failed' }), [])
    },
  },
  {
    name: 'pages through runs newest first, undisturbed by new ones',
    async play(store) {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await store.createRun(newRun(name))
      const first = await store.pageRuns({ limit: 2 })
      assert.deepEqual(names(first.runs), ['e', 'd'])
      await store.createRun(newRun('f'))
      const second = await store.pageRuns({ limit: 2, before: nextOf(first) })
      assert.deepEqual(names(second.runs), ['c', 'b'])
      const third = await store.pageRuns({ limit: 2, before: nextOf(second) })
      assert.deepEqual(names(third.runs), ['a'])
      assert.equal(third.next, undefined)
      assert.equal((await store.pageRuns({ limit: 6 })).next, undefined)
    },
  },
  {
    name: 'filters pages by status, folder, loop, name and time',
    async play(store) {
      await createFiltered(store)
      const page = async (options: RunPageOptions) => names((await store.pageRuns(options)).runs)
      assert.deepEqual(await page({ status: ['pending', 'running'] }), ['other', 'otter', 'worker'])
      assert.deepEqual(await page({ status: ['running'] }), ['worker'])
      assert.deepEqual(await page({ workspace: '/shop' }), ['otter', 'worker'])
      assert.deepEqual(await page({ loop: 'plain' }), ['otter'])
      assert.deepEqual(await page({ name: 'ot' }), ['other', 'otter'])
      assert.deepEqual(await page({ createdAfterMs: 1000, createdBeforeMs: 3000 }), ['otter'])
      assert.deepEqual(await page({ name: 'ot', loop: 'plain', status: ['failed'] }), [])
    },
  },
  {
    name: 'counts runs by status',
    async play(store) {
      assert.deepEqual(await store.countRuns(), {})
      for (const events of [[], [started], [started], [started, ended]]) {
        const { write } = await writeRun(store)
        if (events.length > 0) await write(...events)
      }
      assert.deepEqual({ ...(await store.countRuns()) }, { pending: 1, running: 2, cancelled: 1 })
    },
  },
  {
    name: 'finds the run whose agent could have created a repository',
    async play(store) {
      const [a, b] = ['/nonexistent/a', '/nonexistent/b']
      await store.createRun(newRun('with', { workspace: a }))
      const event: RunCreated = { ...created, withoutGit: true }
      await store.createRun(newRun('without', { workspace: b, event }))
      assert.equal(await store.makerOfGit(a), undefined)
      assert.deepEqual({ ...(await store.makerOfGit(b)) }, { name: 'without', workspace: b })
      assert.equal((await store.makerOfGit(`${a}/x/y`))?.name, 'with')
      assert.equal(await store.makerOfGit(`${a}b`), undefined)
      assert.equal(await store.makerOfGit('/nonexistent'), undefined)
    },
  },
]

function nextOf({ next }: { readonly next?: number }): number {
  assert.ok(next !== undefined, 'there is no next page')
  return next
}

async function createFiltered(store: Store): Promise<void> {
  const worker = await writeRun(store, { name: 'worker', workspace: '/shop', atMs: 1000 })
  await worker.write(started)
  const worktree = {
    repository: '/shop/.git',
    key: 'k',
    branch: 'b',
    base: { name: 'main', commit: 'c' },
  }
  const event: RunCreated = { ...created, worktree }
  const fields = { event, loop: 'plain', workspace: '/trees/otter', atMs: 2000 }
  await store.createRun(newRun('otter', fields))
  await store.createRun(newRun('other', { atMs: 3000 }))
}

export const runCases: readonly StoreCase[] = [...finding, ...listing]
