// A workspace that stores the result of iterations, as a git worktree does with commits.

import { expect, test } from 'vitest'
import type { Check, IterationWork, Workspace } from '../../src/engine/index.ts'
import { type Findings, LoopError } from '../../src/loop/index.ts'
import { createFakeCertifier } from '../../src/testing/fake-certifier.ts'
import {
  createWorld,
  deferred,
  loopOf,
  type MemoryWorkspace,
  memoryWorkspace,
  until,
  worldAfter,
} from './fixture.ts'

interface Keeping {
  readonly workspace: Workspace & MemoryWorkspace
  readonly kept: readonly IterationWork[]
}

function keeping(
  trees?: MemoryWorkspace['trees'],
  before: () => Promise<void> = async () => undefined,
): Keeping {
  const kept: IterationWork[] = []
  const workspace = {
    ...memoryWorkspace({ log: '' }, trees),
    async keep(work: IterationWork) {
      await before()
      kept.push(work)
      return { commit: `c${kept.length}` }
    },
  }
  return { workspace, kept }
}

const counting = ({ files }: MemoryWorkspace) =>
  loopOf<null>(
    async (_context, it) => {
      await it.agent('maker', { prompt: 'count' })
      await it.step('write', () => void files.set('log', `${it.number}`))
      return null
    },
    { until: [] },
  )

const agents = {
  work: async () => ({
    status: 'done' as const,
    text: 'I counted.',
    usage: { tokens: 0, costMicros: 0 },
    turns: 1,
  }),
}

const limits = { iterations: 3 }

const met: Check = async () => ({ status: 'met', output: '' })

test('each iteration is stored with its files and its report before its end is recorded', async () => {
  const { workspace, kept } = keeping(undefined, async () => {
    ended.push((await world.only(run, 'iteration-ended')).length)
  })
  const ended: number[] = []
  const world = createWorld({ workspace, agents })
  const loop = counting(workspace)
  const run = await world.start(loop, { limits })
  await world.finish(run, loop)
  const writes = (await world.only(run, 'step-finished')).filter(({ step }) => step === 'write#1')
  expect(kept).toEqual(
    writes.map(({ iteration, tree }) => ({ iteration, tree, report: 'I counted.' })),
  )
  expect(ended).toEqual([0, 1, 2])
})

test('after a kill at any moment, every iteration whose end is not recorded is stored', async () => {
  const first = keeping()
  const world = createWorld({ workspace: first.workspace, agents })
  const loop = counting(first.workspace)
  const run = await world.start(loop, { limits })
  await world.finish(run, loop)
  const events = await world.events(run)
  for (let count = 1; count < events.length; count++) {
    const { workspace, kept } = keeping(first.workspace.trees)
    const later = await worldAfter(events, count, { workspace, agents })
    await later.finish(run, counting(workspace))
    const known = events.slice(0, count).filter(({ event }) => event.type === 'iteration-ended')
    expect(kept).toEqual(first.kept.slice(known.length))
  }
})

test('document 001: a failed commit is retried, then becomes a warning, and the run continues', async () => {
  let failures = 2
  let attempts = 0
  const { workspace, kept } = keeping(undefined, async () => {
    attempts++
    if (failures-- > 0) throw new LoopError('workspace-failed', 'The branch cannot be moved.')
  })
  const world = createWorld({ workspace, agents, checks: { test: met } })
  const loop = { ...counting(workspace), until: [{ type: 'checks-pass' as const }] }
  const run = await world.start(loop, { limits })
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
  expect([attempts > 2, kept[0]?.iteration]).toEqual([true, 1])
  expect(await world.only(run, 'warning')).toEqual([])
})

test('document 001: uncommitted work is not certified', async () => {
  const certifier = createFakeCertifier()
  let isBroken = true
  const { workspace, kept } = keeping(undefined, async () => {
    if (isBroken) throw new Error('no space left')
  })
  const world = createWorld({ workspace, agents, certifier, checks: { test: met } })
  const loop = {
    ...counting(workspace),
    until: [{ type: 'checks-pass' as const }],
    // A person frees some space after the first iteration.
    extractProgress: (_result: null, _previous: null | undefined, { refusals }: Findings) => {
      if (refusals.some(({ code }) => code === 'not-kept')) isBroken = false
      return null
    },
  }
  const run = await world.start(loop, { limits })
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
  const warnings = await world.only(run, 'warning')
  expect(warnings).toMatchObject([
    { code: 'not-kept', message: expect.stringContaining('no space') },
  ])
  expect(certifier.asked.map(({ iteration }) => iteration)).toEqual([2])
  expect(kept.map(({ iteration }) => iteration)).toEqual([1, 2, 2])
})

test('a process that lost the run does not continue without committing its work', async () => {
  const { workspace } = keeping(undefined, async () => {
    throw new LoopError('fenced', 'Another process has the run.')
  })
  const world = createWorld({ workspace, agents })
  const loop = counting(workspace)
  const run = await world.start(loop, { limits })
  await expect(world.finish(run, loop)).rejects.toMatchObject({ code: 'fenced' })
})

test('a resumed iteration is not stored, and one that was cancelled is, as unfinished', async () => {
  const { workspace, kept } = keeping()
  const world = createWorld({ workspace })
  const begun = deferred()
  const loop = loopOf<null>(async (_context, it) => {
    await it.step('half', async ({ signal }) => {
      workspace.files.set('log', 'half')
      begun.resolve()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error())))
    })
    return null
  })
  const run = await world.start(loop, { limits })
  const stop = new AbortController()
  const done = world.finish(run, loop, { signal: stop.signal, graceMs: 0 })
  await begun.promise
  stop.abort()
  expect(await done).toMatchObject({ type: 'suspended' })
  expect(kept).toEqual([])
  const again = world.finish(run, loop)
  await until(() => workspace.files.get('log') === 'half')
  await world.decide(run, { type: 'cancel', reason: 'enough' })
  expect(await again).toMatchObject({ outcome: { type: 'cancelled' } })
  expect(kept).toMatchObject([{ iteration: 1, isUnfinished: true }])
})
