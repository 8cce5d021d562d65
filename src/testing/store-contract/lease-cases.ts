/** Leases: one owner for each run, fencing, expiry, dead owners, workspaces. */

import assert from 'node:assert/strict'
import { leaseTtlMs, type Store } from '../../engine/index.ts'
import { note, writeRun } from '../write-run.ts'
import { refuses, type StoreCase, type StoreScene, started } from './store-case.ts'

const owning: readonly StoreCase[] = [
  {
    name: 'gives a run to one owner, in whichever connection others ask',
    async play(store, scene) {
      const { run } = await writeRun(store)
      const lease = await store.acquire(run, 'one')
      assert.deepEqual(lease, { run, owner: 'one', fence: 1 })
      await refuses(store.acquire(run, 'other'), 'run-busy')
      await refuses(store.acquire(run, 'one'), 'run-busy')
      await refuses(scene.open().acquireIdle(run, 'other'), 'run-busy')
    },
  },
  {
    name: 'gives a released run to the next owner, with a larger fence',
    async play(store) {
      const { run } = await writeRun(store)
      await store.release(await store.acquire(run, 'one'))
      assert.equal((await store.acquire(run, 'other')).fence, 2)
    },
  },
  {
    name: 'keeps a lease until it expires, and no longer',
    async play(store, scene) {
      const { run, take } = await writeRun(store)
      await take('one')
      await scene.advance(leaseTtlMs - 1000)
      await refuses(store.acquire(run, 'other'), 'run-busy')
      await scene.advance(1000)
      assert.equal((await store.acquire(run, 'other')).fence, 2)
    },
  },
  {
    name: 'keeps a lease that is renewed or written under',
    async play(store, scene) {
      const { run, take, write } = await writeRun(store)
      const lease = await take('one')
      for (let half = 0; half < 4; half++) {
        await scene.advance(leaseTtlMs / 2)
        await store.renew(lease)
        await scene.advance(leaseTtlMs / 2)
        await write(note())
      }
      await refuses(store.acquire(run, 'other'), 'run-busy')
    },
  },
  {
    name: 'gives the run of a dead owner to another at once',
    async play(store, scene) {
      const { run, take, write } = await writeRun(store)
      await take('one')
      await write(started)
      assert.deepEqual(await heldOf(store, run), { held: true, interrupted: false })
      scene.kill('one')
      assert.deepEqual(await heldOf(store, run), { held: false, interrupted: true })
      assert.equal((await scene.open().acquire(run, 'other')).fence, 2)
      assert.deepEqual(await heldOf(store, run), { held: true, interrupted: false })
    },
  },
  {
    name: 'refuses an unknown run',
    async play(store) {
      await refuses(store.acquire('gone' as never, 'one'), 'unknown-run')
    },
  },
]

const heldOf = async (store: Store, run: string) => {
  const { held, interrupted } = await store.findRun(run)
  return { held, interrupted }
}

async function replaced(store: Store, scene: StoreScene) {
  const written = await writeRun(store)
  const lease = await written.take('frozen')
  await scene.advance(leaseTtlMs)
  const other = scene.open()
  const newer = await other.acquire(written.run, 'newer')
  return { ...written, lease, newer, other }
}

const fencing: readonly StoreCase[] = [
  {
    name: 'refuses writes of an owner that was replaced, and keeps nothing of them',
    async play(store, scene) {
      const { run, lease, unit } = await replaced(store, scene)
      const late = unit([note('late')], { blobs: ['b1' as never] })
      await refuses(store.append(lease, late), 'fenced')
      assert.equal((await store.read(run)).length, 1)
      assert.deepEqual(await store.namedContent(), [])
    },
  },
  {
    name: 'takes nothing from the newer owner when the older one renews or releases',
    async play(store, scene) {
      const { run, lease, newer, other } = await replaced(store, scene)
      await refuses(store.renew(lease), 'fenced')
      await store.release(lease)
      await other.renew(newer)
      await refuses(store.acquire(run, 'third'), 'run-busy')
    },
  },
  {
    name: 'distinguishes holders by their fence, even under the same name',
    async play(store, scene) {
      const { run, newer, other } = await replaced(store, scene)
      await other.release(newer)
      const again = await other.acquire(run, 'newer')
      assert.ok(again.fence > newer.fence)
      await refuses(other.renew(newer), 'fenced')
    },
  },
]

const workspaces: readonly StoreCase[] = [
  {
    name: 'lets one run at a time work in a workspace, above it or below it',
    async play(store) {
      const lease = await (await writeRun(store, { workspace: '/work' })).take('one')
      const others = ['/work', '/work/', '/work/inner', '/', '/work-2', '/w', undefined]
      const results: string[] = []
      for (const workspace of others) {
        const other = await writeRun(store, workspace === undefined ? {} : { workspace })
        const taking = store.acquire(other.run, 'other').then((taken) => store.release(taken))
        results.push(
          await taking.then(
            () => 'free',
            (error: unknown) => (error as { readonly code: string }).code,
          ),
        )
      }
      const busy = 'workspace-busy'
      assert.deepEqual(results, [busy, busy, busy, busy, 'free', 'free', 'free'])
      await store.release(lease)
      await (await writeRun(store, { workspace: '/work' })).take('other')
    },
  },
  {
    name: 'lets a run be decided about while another works in its workspace',
    async play(store) {
      const first = await writeRun(store, { workspace: '/work' })
      const second = await writeRun(store, { workspace: '/work' })
      await first.take('one')
      await store.release(await store.acquireIdle(second.run, 'other'))
      await refuses(store.acquireIdle(first.run, 'other'), 'run-busy')
    },
  },
  {
    name: 'frees a workspace when the owner of its run is dead',
    async play(store, scene) {
      await (await writeRun(store, { workspace: '/work' })).take('one')
      const second = await writeRun(store, { workspace: '/work' })
      await refuses(second.take('other'), 'workspace-busy')
      scene.kill('one')
      assert.equal((await second.take('other')).fence, 1)
    },
  },
]

export const leaseCases: readonly StoreCase[] = [...owning, ...fencing, ...workspaces]
