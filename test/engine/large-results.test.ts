import { describe, expect, test } from 'vitest'
import { driveRun } from '../../src/engine/drive-run.ts'
import { LoopError, toJson } from '../../src/loop/index.ts'
import { createWorld, loopOf } from './fixture.ts'

describe('large results', () => {
  const large = { text: 'x'.repeat(70_000), n: 1 }

  test('are stored as a blob that the journal names, and are returned unchanged', async () => {
    const world = createWorld()
    const stop = new AbortController()
    const loop = loopOf<boolean>(async (_context, it) => {
      const result = await it.step('large', () => large)
      await it.step('stop', () => stop.abort())
      return it.step('compare', () => JSON.stringify(result) === JSON.stringify(large))
    })
    const run = await world.start(loop)
    await world.finish(run, loop, { signal: stop.signal })
    const [finished] = await world.only(run, 'step-finished')
    expect(finished?.result).toHaveProperty('blob')
    expect(JSON.stringify(finished).length).toBeLessThan(500)
    const named = (await world.journal.namedContent()).map(({ hash }) => hash)
    expect(named).toEqual([...world.blobs.contents.keys()])
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe(true)
  })

  test('of exactly the limit are stored in the row', async () => {
    const world = createWorld()
    const loop = loopOf<number>(async (_context, it) => {
      await it.step('fits', () => 'x'.repeat(64 * 1024 - 2))
      return (await it.step('does not', () => 'x'.repeat(64 * 1024 - 1))).length
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    const kinds = (await world.only(run, 'step-finished')).map(({ result }) =>
      Object.keys(result ?? {}),
    )
    expect(kinds).toEqual([['value'], ['blob', 'bytes']])
  })

  test('are an input, too', async () => {
    const world = createWorld()
    const loop = loopOf<number>(async (length) => length ?? 0, {
      createContext: (input) => JSON.stringify(input).length,
    })
    const run = await world.start(loop, { input: toJson(large) })
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe(JSON.stringify(large).length)
  })

  test('that are missing leave a run that can be resumed when they are restored', async () => {
    const missing = new Set<string>()
    const world = createWorld()
    const blobs = {
      ...world.blobs,
      async get(blob: Parameters<typeof world.blobs.get>[0]) {
        if (missing.has(blob)) throw new LoopError('unknown-artifact', `There is no ${blob}.`)
        return world.blobs.get(blob)
      },
    }
    let watchers = 0
    const watch: typeof world.journal.watch = (topic, onChange) => {
      watchers++
      const stop = world.journal.watch(topic, onChange)
      return () => {
        watchers--
        stop()
      }
    }
    const ports = { ...world.ports, blobs, journal: { ...world.journal, watch } }
    const loop = loopOf<number>(async (_context, it) => it.step('work', () => 1))
    const run = await world.start(loop, { input: toJson(large) })
    for (const blob of world.blobs.contents.keys()) missing.add(blob)
    await expect(driveRun(run, loop, ports, { owner: 'me' })).rejects.toThrow('There is no')
    expect(await world.events(run)).toHaveLength(1)
    expect(world.clock.alarms).toEqual([])
    expect(watchers).toBe(0)
    missing.clear()
    await world.finish(run, loop)
    expect((await world.state(run)).outcome?.type).toBe('exhausted')
  })
})

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('streamed ')
  yield Buffer.from('bytes')
}

describe('artifacts', () => {
  test('are stored by their hash, once, and referenced so that no garbage collection removes them', async () => {
    const world = createWorld()
    const loop = loopOf<unknown[]>(async (_context, it) => [
      await it.artifact('log', 'hello'),
      await it.artifact('same', new TextEncoder().encode('hello')),
      await it.artifact('stream', bytes()),
    ])
    const run = await world.start(loop)
    await world.finish(run, loop)
    const { progress } = await world.state(run)
    expect(progress).toMatchObject([
      { name: 'log', bytes: 5 },
      { name: 'same', bytes: 5 },
      { name: 'stream', bytes: 14 },
    ])
    const texts = [...world.blobs.contents.values()].map(String)
    expect(texts).toEqual(['hello', 'streamed bytes'])
    const named = (await world.journal.namedContent()).map(({ hash }) => hash)
    expect(new Set(named)).toEqual(new Set(world.blobs.contents.keys()))
  })
})
