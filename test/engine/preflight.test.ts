// What is tried before the first iteration, and how that affects the run.

import { describe, expect, test } from 'vitest'
import type { RunPreflight } from '../../src/engine/index.ts'
import { LoopError, type Preflight } from '../../src/loop/index.ts'
import { createWorld, deferred, loopOf, memoryWorkspace, type World } from './fixture.ts'

interface Asked {
  readonly prepared: string[]
  readonly tried: string[]
}

const fails: Preflight = { checks: [{ check: 'test', answer: 'fails', durationMs: 5 }] }

function worldWith(
  tryChecks: RunPreflight['tryChecks'],
  prepare: RunPreflight['prepare'] = async () => undefined,
): World & Asked {
  const prepared: string[] = []
  const tried: string[] = []
  const preflight: RunPreflight = {
    prepare(files) {
      prepared.push(files.base)
      return prepare(files)
    },
    tryChecks(files, onBegin) {
      tried.push(files.base)
      return tryChecks(files, onBegin)
    },
  }
  const world = createWorld({ workspace: memoryWorkspace({ code: 'broken' }), preflight })
  return { ...world, prepared, tried }
}

const loop = loopOf<number>(async (_context, it) => it.step('work', () => 1))

describe('preflight', () => {
  test('is recorded before the first iteration, and its answers are part of the state', async () => {
    const world = worldWith(async (_files, onBegin) => {
      onBegin('test')
      return fails
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    const types = (await world.events(run)).map(({ event }) => event.type)
    expect(types.slice(0, 6)).toEqual([
      'run-created',
      'run-started',
      'preflight-noted',
      'preflight-noted',
      'preflight-ended',
      'iteration-started',
    ])
    expect((await world.state(run)).preflight).toEqual(fails)
  })

  test('informs the first iteration which checks failed before the run began', async () => {
    const answers: Preflight['checks'] = [
      ...fails.checks,
      { check: 'lint', answer: 'passes', durationMs: 5 },
    ]
    const world = worldWith(async () => ({ checks: answers }))
    const asking = loopOf<readonly string[]>(async (_context, it) => it.failedBefore ?? [])
    const run = await world.start(asking)
    await world.finish(run, asking)
    expect((await world.state(run)).progress).toEqual(['test'])
  })

  test('ends the run with its findings, and nothing of the loop is run', async () => {
    const fault = { code: 'cannot-run', message: 'no mocha', retryable: false, fatal: true }
    const world = worldWith(async () => ({ checks: [], fault }))
    const run = await world.start(loop)
    expect(await world.finish(run, loop)).toEqual({
      type: 'ended',
      outcome: { type: 'failed', fault, preflight: true },
    })
    expect(await world.only(run, 'iteration-started')).toEqual([])
  })

  test('a permanent failure ends the run', async () => {
    const world = worldWith(() => Promise.reject(new LoopError('dependencies-failed', 'No.')))
    const run = await world.start(loop)
    const fault = { code: 'dependencies-failed', message: 'No.' }
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'failed', fault } })
  })

  test('an infrastructure failure suspends the run, and preflight runs again', async () => {
    let times = 0
    const world = worldWith(async () => {
      if (++times === 1) throw new LoopError('workspace-failed', 'It did not work.')
      return fails
    })
    const run = await world.start(loop)
    await expect(world.finish(run, loop)).rejects.toThrow('It did not work.')
    expect((await world.state(run)).status).toBe('suspended')
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
    expect(times).toBe(2)
  })

  test('does not run twice, but each process that takes the run prepares dependencies', async () => {
    const stop = new AbortController()
    const world = worldWith(async () => fails)
    const resting = loopOf<number>(async (_context, it) => {
      stop.abort()
      await it.sleep('rest', 1000)
      return 1
    })
    const run = await world.start(resting)
    expect(await world.finish(run, resting, { signal: stop.signal })).toMatchObject({
      type: 'suspended',
    })
    await world.finish(run, resting)
    expect([world.prepared.length, world.tried.length]).toEqual([2, 1])
  })

  test('stops when the run is stopped, and runs when it is resumed', async () => {
    const stop = new AbortController()
    const began = deferred()
    let times = 0
    const world = worldWith(async ({ signal }) => {
      if (++times > 1) return fails
      began.resolve()
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      })
      return fails
    })
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal })
    await began.promise
    stop.abort()
    expect(await world.clock.pass(driving)).toMatchObject({ type: 'suspended' })
    expect(await world.only(run, 'preflight-ended')).toEqual([])
    expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'exhausted' } })
    expect(await world.only(run, 'preflight-ended')).toHaveLength(1)
  })

  test('a run that is cancelled during preflight ends as cancelled', async () => {
    const began = deferred()
    const world = worldWith(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          began.resolve()
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        }),
    )
    const run = await world.start(loop)
    const driving = world.drive(run, loop)
    await began.promise
    await world.decide(run, { type: 'cancel', reason: 'enough' })
    expect(await world.clock.pass(driving)).toMatchObject({ outcome: { type: 'cancelled' } })
  })
})

describe('the files at the start of the first iteration', () => {
  const startsWith = async (
    change: (world: World) => Promise<Preflight>,
  ): Promise<{ readonly isSame: boolean; readonly snapshots: number }> => {
    const world: World & Asked = worldWith(async () => change(world))
    const { workspace } = world.ports
    if (workspace === undefined) throw new Error('There is no workspace.')
    let snapshots = 0
    const { snapshot } = workspace
    Object.assign(workspace, {
      snapshot: () => {
        snapshots += 1
        return snapshot()
      },
    })
    const pure = loopOf<number>(async (_context, it) =>
      it.step('look', () => 1, { readOnly: true }),
    )
    const run = await world.start(pure)
    await world.finish(run, pure)
    const events = (await world.events(run)).map(({ event }) => event)
    const started = events.find(({ type }) => type === 'iteration-started')
    return { isSame: (started as { tree?: string }).tree === world.tried[0], snapshots }
  }
  const edit = ({ ports }: World): void =>
    void (ports.workspace as ReturnType<typeof memoryWorkspace>).files.set('code', 'by a person')

  test('are those of the preflight, if it only looked at them', async () => {
    expect(await startsWith(async () => ({ checks: [] }))).toMatchObject({ isSame: true })
    const { snapshots } = await startsWith(async () => ({ checks: [] }))
    const { snapshots: withChecks } = await startsWith(async () => fails)
    expect(withChecks).toBe(snapshots + 1)
  })

  test('are read again after checks ran, and after a while', async () => {
    const checked = await startsWith(async (world) => {
      edit(world)
      return fails
    })
    expect(checked.isSame).toBe(false)
    const later = await startsWith(async (world) => {
      await world.clock.sleep(1000)
      edit(world)
      return { checks: [] }
    })
    expect(later.isSame).toBe(false)
  })
})
