import { describe, expect, test } from 'vitest'
import { streamEvents } from '../../src/engine/index.ts'
import type { RecordedEvent } from '../../src/loop/index.ts'
import { createWorld, deferred, idOf, loopOf, until } from './fixture.ts'

const counting = (iterations = 3) =>
  loopOf<number>(async (_context, it) => it.step('work', () => it.number), {
    until: [{ type: 'max-iterations', iterations }],
  })

async function collect(
  stream: AsyncIterable<RecordedEvent>,
  into: RecordedEvent[] = [],
): Promise<RecordedEvent[]> {
  for await (const recorded of stream) into.push(recorded)
  return into
}

describe('the events of a run', () => {
  test('are read from the beginning or from any position, to the end', async () => {
    const world = createWorld()
    const loop = counting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    const all = await world.events(run)
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
    for (const afterSeq of [0, 1, 5, all.length - 1]) {
      expect(await collect(streamEvents(world.journal, run, { afterSeq }))).toEqual(
        all.slice(afterSeq),
      )
    }
  })

  test('E9: end also for a reader who has seen the last of them', async () => {
    const world = createWorld()
    const loop = counting()
    const run = await world.start(loop)
    await world.finish(run, loop)
    const { length } = await world.events(run)
    for (const afterSeq of [length, length + 100]) {
      expect(await collect(streamEvents(world.journal, run, { afterSeq }))).toEqual([])
    }
  })

  test('are followed while they happen, and end with the run', async () => {
    const world = createWorld()
    const hold = deferred()
    const loop = loopOf<null>(async (_context, it) => {
      await it.step('hold', () => hold.promise)
      return null
    })
    const run = await world.start(loop)
    const seen: RecordedEvent[] = []
    const following = collect(streamEvents(world.journal, run), seen)
    const driving = world.drive(run, loop)
    await until(() => seen.at(-1)?.event.type === 'step-started')
    hold.resolve()
    await world.clock.pass(driving)
    await following
    expect(seen).toEqual(await world.events(run))
  })

  test('are all seen by a slow reader, and are not buffered', async () => {
    const world = createWorld()
    const loop = counting(400)
    const run = await world.start(loop, { limits: { iterations: 1000 } })
    const driving = world.finish(run, loop)
    const seen: number[] = []
    for await (const { seq } of streamEvents(world.journal, run)) {
      seen.push(seq)
      if (seq % 100 === 0) await world.clock.settle()
    }
    await driving
    const { lastSeq } = await world.journal.findRun(run)
    expect(seen).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1))
    expect(lastSeq).toBeGreaterThan(1500)
  })

  test('are the existing ones for a reader that does not follow', async () => {
    const world = createWorld()
    const run = await world.start(counting())
    const seen = await collect(streamEvents(world.journal, run, { follow: false }))
    expect(seen.map(({ event }) => event.type)).toEqual(['run-created'])
  })

  test('are followed until the reader stops', async () => {
    const world = createWorld()
    const run = await world.start(counting())
    const enough = new AbortController()
    const seen: RecordedEvent[] = []
    const following = collect(streamEvents(world.journal, run, { signal: enough.signal }), seen)
    await until(() => seen.length === 1)
    enough.abort()
    expect(await following).toHaveLength(1)
    const aborted = { signal: AbortSignal.abort() }
    expect(await collect(streamEvents(world.journal, run, aborted))).toEqual([])
  })

  test('of an unknown run are refused', async () => {
    const world = createWorld()
    const stream = collect(streamEvents(world.journal, idOf('nobody')))
    await expect(stream).rejects.toMatchObject({ code: 'unknown-run' })
  })

  test('of several runs have one order in the store', async () => {
    const world = createWorld()
    const runs = [await world.start(counting()), await world.start(counting())]
    await Promise.all(runs.map((run) => world.finish(run, counting())))
    const all = await world.journal.readStore({ afterPosition: 0, limit: 1000 })
    const positions = all.map(({ position }) => position)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
    expect(new Set(positions).size).toBe(positions.length)
    for (const run of runs) {
      expect(all.filter((recorded) => recorded.run === run)).toEqual(await world.events(run))
    }
    const middle = positions[5] ?? 0
    const rest = await world.journal.readStore({ afterPosition: middle, limit: 3 })
    expect(rest.map(({ position }) => position)).toEqual(positions.slice(6, 9))
  })
})

test('metrics count steps by kind, failures, retries, errors, tokens and time', async () => {
  const world = createWorld({
    tools: { call: async () => ({ ok: true, output: null }) },
    checks: { test: async () => ({ status: 'met', output: '' }) },
  })
  let tries = 0
  const loop = loopOf<null>(
    async (_context, it) => {
      await it.step('work', ({ spend }) => spend({ tokens: 5, costMicros: 2 }))
      await it.step('flaky', async () => {
        await world.clock.sleep(100)
        tries++
        if (tries === 1) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
      })
      await it.parallel({
        a: (branch) => branch.tool('grep', null),
        b: (branch) => branch.tool('grep', null),
      })
      await it.check()
      await it.artifact('log', 'text')
      if (it.number === 1) await it.step('fail', () => Promise.reject(new Error('no')))
      return null
    },
    { until: [{ type: 'max-iterations', iterations: 2 }] },
  )
  const run = await world.start(loop)
  await world.finish(run, loop)
  const { metrics, spent } = await world.state(run)
  expect(metrics).toEqual({
    steps: 12,
    stepsFailed: 1,
    retries: 1,
    interruptions: 0,
    rateLimits: 0,
    iterationErrors: 1,
    iterationMs: 675,
    byKind: { step: 4, tool: 4, check: 2, artifact: 2 },
    tools: { grep: { calls: 4, failed: 0, ms: 0, outputBytes: 16 } },
  })
  expect(spent).toEqual({ tokens: 10, costMicros: 4 })
})
