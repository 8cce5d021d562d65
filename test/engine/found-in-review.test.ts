import { uuidv7 } from 'uuidv7'
import { expect, test } from 'vitest'
import { createRun, driveRun, type Ports, systemClock } from '../../src/engine/index.ts'
import { openSqliteJournal } from '../../src/journal/index.ts'
import { type LoopType, type RunId, rateLimited } from '../../src/loop/index.ts'
import { memoryBlobs } from '../../src/testing/memory-blobs.ts'

test('E2: a finished step is not run again after a rate limit behind a snapshot', async () => {
  let ran = 0
  let limited = 0
  const loop: LoopType<null, null, null, null> = {
    name: 'r',
    createContext: () => null,
    iterate: async (_c, it) => {
      await it.step('big', () => {
        ran++
        return 'x'.repeat(40_000)
      })
      await it.step('model', () => {
        if (limited++ === 0) throw rateLimited('not now', Date.now() + 50)
        return 1
      })
      return null
    },
    extractProgress: () => null,
    until: [{ type: 'max-iterations', iterations: 1 }],
  }
  const journal = openSqliteJournal({ path: ':memory:' })
  const ports: Ports = { journal, blobs: memoryBlobs(), clock: systemClock }
  const id = uuidv7() as RunId
  await createRun(loop, ports, { id, name: 'x', input: null })
  await driveRun(id, loop, ports, { owner: 'me' })
  expect(ran).toBe(1)
})

test('a blocking after-step hook that throws does not undo a finished step', async () => {
  const loop: LoopType<null, null, null, null> = {
    name: 'r',
    createContext: () => null,
    iterate: async (_c, it) => {
      await it.step('a', () => 1)
      return null
    },
    extractProgress: () => null,
    until: [{ type: 'max-iterations', iterations: 1 }],
  }
  const journal = openSqliteJournal({ path: ':memory:' })
  const ports: Ports = {
    journal,
    blobs: memoryBlobs(),
    clock: systemClock,
    hooks: [
      {
        name: 'h',
        points: ['after-step'],
        blocking: true,
        run: () => {
          throw new Error('no')
        },
      },
    ],
  }
  const id = uuidv7() as RunId
  await createRun(loop, ports, { id, name: 'x', input: null })
  await driveRun(id, loop, ports, { owner: 'me' })
  const types = (await journal.read(id)).map((e) => e.event.type)
  expect(types.filter((t) => t === 'step-finished' || t === 'step-failed')).toEqual([
    'step-finished',
  ])
})

test('an action is not performed twice when an iteration is restarted by force', async () => {
  const keys: string[] = []
  const make = (version: string): LoopType<null, null, null, null> => ({
    name: 'r',
    version,
    createContext: () => null,
    iterate: async (_c, it) => {
      await it.act({ kind: 'comment', summary: 's' })
      await it.step('wait', async (c) => {
        if (version === '1') stop.abort()
        c.signal.throwIfAborted()
        return 1
      })
      await it.step('more', () => 1)
      return null
    },
    extractProgress: () => null,
    until: [{ type: 'max-iterations', iterations: 1 }],
  })
  const stop = new AbortController()
  const journal = openSqliteJournal({ path: ':memory:' })
  const ports: Ports = {
    journal,
    blobs: memoryBlobs(),
    clock: systemClock,
    gate: { judge: async () => ({ type: 'allow' }) },
    actions: {
      perform: async (_a, key) => {
        keys.push(key)
        return { status: 'done', summary: '' }
      },
      find: async () => ({ type: 'done', receipt: { status: 'done', summary: '' } }),
    },
  }
  const id = uuidv7() as RunId
  await createRun(make('1'), ports, { id, name: 'x', input: null })
  await driveRun(id, make('1'), ports, { owner: 'me', signal: stop.signal })
  await driveRun(id, make('2'), ports, { owner: 'me', force: true })
  expect(keys).toHaveLength(1)
})

test('E9: a blocking hook that never returns does not hold a cancelled run', async () => {
  const loop: LoopType<null, null, null, null> = {
    name: 'r',
    createContext: () => null,
    iterate: async (_c, it) => {
      await it.step('a', () => 1)
      return null
    },
    extractProgress: () => null,
  }
  const journal = openSqliteJournal({ path: ':memory:' })
  const ports: Ports = {
    journal,
    blobs: memoryBlobs(),
    clock: systemClock,
    hooks: [
      {
        name: 'h',
        points: ['before-step'],
        blocking: true,
        run: () => new Promise(() => undefined),
      },
    ],
  }
  const id = uuidv7() as RunId
  await createRun(loop, ports, { id, name: 'x', input: null })
  const driving = driveRun(id, loop, ports, { owner: 'me' })
  setTimeout(
    () => void journal.recordDecision(id, { type: 'cancel', reason: 'x' }, 'p', Date.now()),
    100,
  )
  const end = await Promise.race([
    driving.then((e) => e.type),
    new Promise((r) => setTimeout(() => r('still running'), 12_000)),
  ])
  expect(end).toBe('ended')
})
