import { beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../engine/index.ts'
import { defaultLimits, type RunEvent, type RunId } from '../loop/index.ts'
import { writeRun } from '../testing/write-run.ts'
import { openStore } from './open-store.ts'

let journal: Store

beforeEach(() => {
  journal = openStore({ path: ':memory:' })
})

const started: RunEvent = { type: 'run-started', owner: 'me', fence: 1 }
const iteration = (number: number): RunEvent[] => [
  { type: 'iteration-started', iteration: number },
  { type: 'iteration-ended', iteration: number, ending: { type: 'continue' } },
]

describe('a run is found', () => {
  beforeEach(async () => {
    await writeRun(journal, { id: '0191-aaaa', name: 'brave-otter' })
    await writeRun(journal, { id: '0191-aabb', name: 'brave-owl' })
    await writeRun(journal, { id: '0191-cccc', name: 'calm_fox' })
    await writeRun(journal, { id: '0191-dddd', name: 'calmXfox' })
  })

  test.each([
    ['its id', '0191-aaaa', 'brave-otter'],
    ['its name', 'brave-owl', 'brave-owl'],
    ['a prefix of its id', '0191-aab', 'brave-owl'],
    ['a prefix of its name', 'brave-ot', 'brave-otter'],
    ['a prefix with an SQL wildcard', 'calm_', 'calm_fox'],
  ])('by %s', async (_name, text, name) => {
    expect((await journal.findRun(text)).name).toBe(name)
  })

  test('by a name that is a prefix of another', async () => {
    await writeRun(journal, { name: 'brave' })
    expect((await journal.findRun('brave')).name).toBe('brave')
  })

  test.each(['0191', 'brave', 'calm'])(
    'not by %s, which is ambiguous: the error lists the candidates',
    async (text) => {
      await expect(journal.findRun(text)).rejects.toMatchObject({
        code: 'ambiguous-run',
        message: expect.stringMatching(/matches .* \(0191-.*, .* \(0191-/),
      })
    },
  )

  test.each(['', '%', '_', '%fox', 'nobody', 'calm\\_', "'; --"])('not by %j', async (text) => {
    await expect(journal.findRun(text)).rejects.toMatchObject({ code: 'unknown-run' })
  })
})

describe('the row of a run', () => {
  test('is in sync with its events', async () => {
    const { run, name, write } = await writeRun(journal, { workspace: '/work', atMs: 77 })
    expect(await journal.findRun(run)).toEqual({
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
    await write(started, ...iteration(1), ...iteration(2))
    expect(await journal.findRun(run)).toMatchObject({
      status: 'running',
      iteration: 2,
      lastSeq: 6,
    })
    await write({ type: 'run-rewound', toIteration: 1 }, { type: 'run-suspended', reason: '' })
    expect(await journal.findRun(run)).toMatchObject({ status: 'suspended', iteration: 1 })
  })

  test('distinguishes a run whose process is gone from one that is driven', async () => {
    const { run, take, write } = await writeRun(journal)
    const lease = await take()
    await write(started)
    expect(await journal.findRun(run)).toMatchObject({ held: true, interrupted: false })
    await journal.release(lease)
    expect(await journal.findRun(run)).toMatchObject({ held: false, interrupted: true })
    await take()
    await write({ type: 'run-suspended', reason: '' })
    expect(await journal.findRun(run)).toMatchObject({ interrupted: false })
  })

  test('is refused under a name that is taken', async () => {
    await writeRun(journal, { name: 'brave-otter' })
    await expect(writeRun(journal, { name: 'brave-otter' })).rejects.toMatchObject({
      code: 'name-taken',
    })
    expect(await journal.listRuns()).toHaveLength(1)
  })
})

describe('runs are listed', () => {
  test('newest first, by status, up to a limit', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      const { write } = await writeRun(journal, { name })
      if (name === 'b' || name === 'd') await write(started)
    }
    const names = async (options?: object) =>
      (await journal.listRuns(options)).map(({ name }) => name)
    expect(await names()).toEqual(['d', 'c', 'b', 'a'])
    expect(await names({ status: 'running' })).toEqual(['d', 'b'])
    expect(await names({ limit: 3 })).toEqual(['d', 'c', 'b'])
    expect(await names({ status: 'failed' })).toEqual([])
  })
})

test('checkpoints are the ends of iterations that counted; a rewind forgets the later ones', async () => {
  const { run, write } = await writeRun(journal)
  await write(started, ...iteration(1), { type: 'iteration-started', iteration: 2 })
  const ending = { type: 'interrupted', reason: '' } as const
  await write({ type: 'iteration-ended', iteration: 2, ending })
  await write({ type: 'iteration-started', iteration: 2, again: true })
  await write({ type: 'iteration-ended', iteration: 2, ending: { type: 'continue' } })
  const seqs = async () => (await journal.checkpoints(run)).map(({ iteration: n, seq }) => [n, seq])
  expect(await seqs()).toEqual([
    [1, 4],
    [2, 8],
  ])
  await write({ type: 'run-rewound', toIteration: 1 })
  expect(await seqs()).toEqual([[1, 4]])
  await write(...iteration(2))
  expect(await seqs()).toEqual([
    [1, 4],
    [2, 11],
  ])
})

describe('the run that could have created a repository', () => {
  const created = (withoutGit: boolean): RunEvent => ({
    type: 'run-created',
    eventVersion: 1,
    loop: 'l',
    codeDigest: 'd',
    limits: defaultLimits,
    ...(withoutGit ? { withoutGit: true } : {}),
  })
  const insert = (name: string, workspace: string, withoutGit: boolean): Promise<void> =>
    journal.createRun({
      id: name as RunId,
      name,
      loop: 'l',
      atMs: 1,
      event: created(withoutGit),
      blobs: [],
      trees: [],
      workspace,
    })

  test('is a run that worked above it, or in it before it was a repository', async () => {
    await insert('with', '/nonexistent/a', false)
    await insert('without', '/nonexistent/b', true)
    expect(await journal.makerOfGit('/nonexistent/a')).toBeUndefined()
    expect(await journal.makerOfGit('/nonexistent/b')).toEqual({
      name: 'without',
      workspace: '/nonexistent/b',
    })
    expect(await journal.makerOfGit('/nonexistent/a/x/y')).toMatchObject({ name: 'with' })
    expect(await journal.makerOfGit('/nonexistent/ab')).toBeUndefined()
    expect(await journal.makerOfGit('/nonexistent')).toBeUndefined()
  })
})
