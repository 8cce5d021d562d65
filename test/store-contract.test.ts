// The contract of the Store port: kept by the store in SQLite, by the store in memory, and by the
// store that a process of the simulator sees. It notices when any method of the port does nothing.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openSimulatedStoreScene } from '../proof/simulator/simulated-store-scene.ts'
import type { LocalOwners, Store } from '../src/engine/index.ts'
import { openStore } from '../src/journal/index.ts'
import { createMemoryStores } from '../src/testing/memory-store/memory-store.ts'
import type { StoreScene } from '../src/testing/store-contract/store-case.ts'
import { storeContract } from '../src/testing/store-contract/store-contract.ts'

interface SceneClock {
  readonly now: () => number
  readonly owners: LocalOwners
  readonly scene: Pick<StoreScene, 'advance' | 'kill' | 'now'>
}

function createSceneClock(): SceneClock {
  let nowMs = 1_000_000
  const dead = new Set<string>()
  return {
    now: () => nowMs,
    owners: { isDead: (owner) => dead.has(owner), isOfThisBoot: () => true },
    scene: {
      now: () => nowMs,
      async advance(ms) {
        nowMs += ms
      },
      kill: (owner) => dead.add(owner),
    },
  }
}

function openFileScene(): StoreScene {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-store-'))
  const { now, owners, scene } = createSceneClock()
  const stores: Store[] = []
  return {
    ...scene,
    open() {
      const path = join(folder, 'journal.db')
      const store = openStore({ path, synchronous: 'NORMAL', now, owners })
      stores.push(store)
      return store
    },
    async close() {
      for (const store of stores) await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function openMemoryScene(change: (store: Store) => Store = (store) => store): StoreScene {
  const { now, owners, scene } = createSceneClock()
  const stores = createMemoryStores({ now, owners })
  return { ...scene, open: () => change(stores.open()), close: async () => undefined }
}

describe.each<[string, () => StoreScene]>([
  ['in a SQLite file', openFileScene],
  ['in memory', () => openMemoryScene()],
  ['of the simulator', () => openSimulatedStoreScene(1)],
])('a store %s', (_name, make) => {
  test.each(storeContract({ make }))('$name', ({ run }) => expect(run()).resolves.toBeUndefined())
})

/** The first case that fails. */
async function failure(change: (store: Store) => Store): Promise<string | undefined> {
  for (const { name, run } of storeContract({ make: () => openMemoryScene(change) })) {
    const stuck = sleep(1000, 'stuck', { ref: false })
    const end = await Promise.race([run(), stuck]).catch(() => 'failed')
    if (end !== undefined) return name
  }
  return undefined
}

test('the contract accepts an unchanged store', async () => {
  expect(await failure((store) => store)).toBeUndefined()
})

describe('the contract notices a store whose method does nothing', () => {
  const store = openMemoryScene().open()
  const broken = async (): Promise<undefined> => undefined
  const names = Object.keys(store) as (keyof Store)[]
  const isPart = (name: keyof Store): boolean => typeof store[name] === 'object'

  test.each(names.filter((name) => !isPart(name)))('%s', async (method) => {
    const stub = method === 'watch' ? () => () => undefined : broken
    expect(await failure((whole) => ({ ...whole, [method]: stub }))).toBeDefined()
  })

  const parts = names
    .filter(isPart)
    .flatMap((part) => Object.keys(store[part]).map((method) => [part, method] as const))

  test.each(parts)('%s.%s', async (part, method) => {
    const change = (whole: Store): Store => ({
      ...whole,
      [part]: { ...(whole[part] as object), [method]: broken },
    })
    expect(await failure(change)).toBeDefined()
  })
})
