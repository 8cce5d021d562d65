// E8. No new evidence, no spend.

import { describe, expect, test } from 'vitest'
import { driveRun } from '../../src/engine/drive-run.ts'
import { type Agents, createRun, loadRun, type Ports, rewindRun } from '../../src/engine/index.ts'
import {
  type AgentReport,
  type CertificateId,
  type Condition,
  defined,
  FaultError,
  type LoopType,
  type OutsideDigests,
  type RunId,
  type RunState,
} from '../../src/loop/index.ts'
import { createWorld, idOf, loopOf, memoryWorkspace, type World } from './fixture.ts'

const report: AgentReport = {
  status: 'done',
  text: 'I did',
  usage: { tokens: 0, costMicros: 0 },
  turns: 1,
}

interface Told {
  readonly prompt?: (iteration: number) => string
  readonly progress?: (iteration: number) => number
  /** What the agent writes to the file. */
  readonly writes?: (iteration: number) => string
  readonly report?: Partial<AgentReport>
  readonly iterations?: number
  /** The loop's code throws after the agent. */
  readonly fails?: boolean
  readonly until?: readonly Condition[]
}

type Story = LoopType<null, null, number, number>

/** Loops with the same text; only their inputs differ. */
function storyOf(told: Told): Story {
  const { prompt = () => 'fix it', progress = () => 0, iterations = 2, fails = false } = told
  return {
    name: 'story',
    version: '1',
    createContext: () => null,
    async iterate(_context, it) {
      await it.agent('maker', { prompt: prompt(it.number) })
      if (fails) throw new FaultError({ code: 'x', message: 'it broke', retryable: false })
      return it.number
    },
    extractProgress: (result) => progress(result),
    until: told.until ?? [{ type: 'max-iterations', iterations }],
  }
}

function agentOf(told: Told, calls: number[], files: Map<string, string>): Agents {
  return {
    async work(_role, _task, { iteration }) {
      calls.push(iteration)
      if (told.writes !== undefined) files.set('code', told.writes(iteration))
      return { ...report, ...told.report }
    },
  }
}

const runOf = (number: number): RunId => idOf(`0190a0de-0000-7000-8000-00000000000${number}`)

interface Played {
  readonly world: World
  readonly calls: number[]
  play(
    told?: Told,
    more?: Partial<Ports> & { readonly repeat?: number; readonly outside?: OutsideDigests },
  ): Promise<RunState>
}

/** Runs in one store, each in a separate folder with the same file. */
function store(): Played {
  const base = createWorld()
  const calls: number[] = []
  let runs = 0
  return {
    world: base,
    calls,
    async play(told = {}, { repeat, outside, ...more } = {}) {
      const workspace = memoryWorkspace({ code: 'broken' })
      const agents = agentOf(told, calls, workspace.files)
      const ports = { ...base.ports, workspace, agents, ...more }
      const loop = storyOf(told)
      const id = runOf(++runs)
      const asked = defined({ repeat, outside })
      await createRun(loop, ports, { id, name: `run ${runs}`, ...asked })
      await base.clock.pass(driveRun(id, loop, ports, { owner: 'me' }))
      return (await loadRun(base.journal, id)).state
    },
  }
}

describe('E8: what was tried is not tried again', () => {
  test('in a later iteration that has nothing new', async () => {
    const { play, calls } = store()
    const { outcome, iteration } = await play({ iterations: 9 })
    // The second has progress, which the first did not have.
    expect(calls).toEqual([1, 2])
    expect(iteration).toBe(3)
    expect(outcome).toMatchObject({ type: 'stuck', condition: 'no-new-evidence' })
    expect(outcome).toHaveProperty('detail', expect.stringContaining('iteration 2 of this run'))
  })

  test('but new issues, results or ticks make an attempt on the same files a new one', async () => {
    const { play, calls } = store()
    const told = { iterations: 1 }
    await play(told, { outside: { issues: 'a' } })
    const { outcome } = await play(told, { outside: { issues: 'a' } })
    expect(outcome).toMatchObject({ type: 'stuck', condition: 'no-new-evidence' })
    expect(calls).toEqual([1])
    const { outside } = await play(told, { outside: { issues: 'b' } })
    expect(outside).toEqual({ issues: 'b' })
    await play(told, { outside: { issues: 'b', tick: 'time:1' } })
    expect(calls).toEqual([1, 1, 1])
  })

  test('in another run of the store, which reports who tried it, how it ended and what to do', async () => {
    const { play, calls } = store()
    await play({ iterations: 1 })
    const { outcome } = await play({ iterations: 1 })
    expect(calls).toEqual([1])
    const { detail } = outcome as { detail: string }
    expect(outcome).toMatchObject({ type: 'stuck', condition: 'no-new-evidence' })
    expect(detail).toContain('iteration 1 of run "run 1" (exhausted)')
    expect(detail).toContain('met: max-iterations')
    expect(detail).toMatch(/files.*prompt.*input.*agent.*checks.*limits.*--again/)
  })

  test.each<[string, Told]>([
    ['the files', { writes: (iteration) => `${iteration}` }],
    ['the prompt', { prompt: (iteration) => `try ${iteration}` }],
    ['the progress', { progress: (iteration) => iteration }],
  ])('but is tried again when %s changed', async (_name, told) => {
    const { play, calls } = store()
    expect((await play({ ...told, iterations: 3 })).outcome).toMatchObject({ type: 'exhausted' })
    expect(calls).toEqual([1, 2, 3])
  })

  test('but is tried again with another check, and if a repeat was requested', async () => {
    const { play, calls } = store()
    const once = { iterations: 1 }
    await play(once)
    await play(once, { checks: { test: async () => ({ status: 'not-met', output: '' }) } })
    await play(once, { repeat: 1 })
    await play(once, { repeat: 2 })
    expect(calls.length).toBe(4)
    expect((await play(once, { repeat: 2 })).outcome).toMatchObject({ type: 'stuck' })
    expect(calls.length).toBe(4)
  })

  test.each(['provider', 'interrupted', 'crashed', 'time', 'idle'] as const)(
    'but is tried again when the agent ended with "%s"',
    async (ended) => {
      const { play, calls } = store()
      await play({ report: { status: 'failed', ended }, iterations: 3 })
      expect(calls).toEqual([1, 2, 3])
    },
  )

  test('but is tried again if its iteration did not end with a meaningful result', async () => {
    const { play, calls } = store()
    await play({ fails: true, iterations: 1 })
    await play({ iterations: 1 })
    expect(calls).toEqual([1, 1])
  })
})

test('a rewound iteration is the same attempt', async () => {
  const workspace = memoryWorkspace({ code: '' })
  const calls: number[] = []
  const agents = agentOf({}, calls, workspace.files)
  const world = createWorld({ workspace, agents })
  let stop = new AbortController()
  const loop = loopOf<number>(
    async (_context, it) => {
      await it.agent('maker', { prompt: `${it.number}` })
      if (it.number === 2) await it.step('stop', () => stop.abort(), { readOnly: true })
      await it.step('rest', () => undefined, { readOnly: true })
      return it.number
    },
    { until: [{ type: 'max-iterations', iterations: 2 }] },
  )
  const run = await world.start(loop)
  const { signal } = stop
  await world.finish(run, loop, { signal })
  await rewindRun(run, 0, world.ports, 'me')
  stop = new AbortController()
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
  expect(calls).toEqual([1, 2, 1, 2])
})

test('a run without files is not affected, and an agent step records its fingerprint', async () => {
  const calls: number[] = []
  const world = createWorld({ agents: agentOf({}, calls, new Map()) })
  const loop = storyOf({ iterations: 3 })
  const run = await world.start(loop)
  await world.finish(run, loop)
  expect(calls).toEqual([1, 2, 3])
  const workspace = memoryWorkspace({ code: '' })
  const other = createWorld({ workspace, agents: agentOf({}, calls, workspace.files) })
  const first = await other.start(loop)
  await other.finish(first, loop)
  const [started] = await other.only(first, 'step-started')
  const [finished] = await other.only(first, 'step-finished')
  expect(started?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  expect(await other.journal.tried(started?.fingerprint ?? '')).toMatchObject([
    { run: first, iteration: 1 },
  ])
  expect(finished?.fingerprint).toBe(started?.fingerprint)
  await other.journal.removeRun(first)
  expect(await other.journal.tried(started?.fingerprint ?? '')).toEqual([])
})

describe('E8: what another run completed', () => {
  const done = { writes: () => 'fixed', iterations: 1 }
  const earlier = {
    run: runOf(1),
    name: 'run 1',
    certificate: 'sha256-1' as CertificateId,
    branch: 'run/1',
  }
  const completes = { until: [{ type: 'checks-pass' }] } as const

  test('is already done if that still holds, and the agent is not called', async () => {
    const { play, calls } = store()
    const checks = { test: async () => ({ status: 'met' as const, output: '' }) }
    await play({ ...done, ...completes }, { checks })
    const { outcome } = await play(
      { ...done, ...completes },
      { checks, earlierWork: async () => earlier },
    )
    expect(outcome).toEqual({ type: 'completed', condition: 'already-done', earlier })
    expect(calls).toEqual([1])
  })

  test('is done again if it no longer holds', async () => {
    const { play, calls } = store()
    const checks = { test: async () => ({ status: 'met' as const, output: '' }) }
    await play({ ...done, ...completes }, { checks })
    const { outcome } = await play(
      { ...done, ...completes },
      { checks, earlierWork: async () => undefined },
    )
    expect(outcome).toEqual({ type: 'completed', condition: 'checks-pass' })
    expect(calls).toEqual([1, 1])
  })
})
