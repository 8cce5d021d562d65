/** Loops and external parts that misbehave, against a real host. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type Actions,
  FaultError,
  type Gate,
  type Iteration,
  type LoopType,
  rateLimited,
} from '../src/host/index.ts'
import { newFolder, newHost } from './host-fixture.ts'

const loopOf = (
  iterate: (it: Iteration) => Promise<unknown>,
  until: LoopType<null, null, unknown, unknown>['until'] = [
    { type: 'max-iterations', iterations: 1 },
  ],
): LoopType<null, null, unknown, unknown> => ({
  name: 'hostile',
  createContext: () => null,
  iterate: (_context, it) => iterate(it),
  extractProgress: (made) => made ?? null,
  until,
})

const flaky = new FaultError({ code: 'flaky', message: 'once', retryable: true })
const quickly = { retry: { firstDelayMs: 1 } }

test.each([false, {}, { type: 'Deny', reason: 'no' }, 'allow'])(
  'E6: a gate that answers %j has not allowed anything',
  async (verdict) => {
    const performed: string[] = []
    const actions: Actions = {
      perform: async (action) => {
        performed.push(action.kind)
        return { status: 'done', summary: '' }
      },
      find: async () => ({ type: 'not-done' }),
    }
    const gate = { judge: async () => verdict } as unknown as Gate
    const host = await newHost()
    const loop = loopOf((it) => it.act({ kind: 'publish', summary: 'x' }))
    const run = await host.start(loop, { input: null, actions, gate, name: 'gated' })
    await run.done
    expect(performed).toEqual([])
    expect((await host.inspect('gated')).state.progress).toMatchObject({ status: 'refused' })
  },
)

test('a retry restores the files that a person changed while the run waited for an answer', async () => {
  const workspace = newFolder()
  const file = join(workspace, 'a.txt')
  const host = await newHost()
  const seen: string[] = []
  const loop = loopOf(async (it) => {
    await it.step('write', () => writeFileSync(file, 'old'))
    await it.ask('look', { text: 'Look at it', default: 'fine' })
    return it.step(
      'read',
      ({ attempt }) => {
        seen.push(readFileSync(file, 'utf8'))
        writeFileSync(file, 'half')
        if (attempt === 1) throw flaky
        return seen.at(-1)
      },
      quickly,
    )
  })
  const run = await host.start(loop, { input: null, workspace, name: 'edited' })
  for await (const { event } of run.events()) {
    if (event.type !== 'step-started' || event.question === undefined) continue
    writeFileSync(file, 'by a person')
    await host.answer('edited', 'look', 'fine', 'me')
    break
  }
  await run.done
  expect(seen).toEqual(['by a person', 'by a person'])
})

test('changes made by a check are reverted, so that its result applies to the current files', async () => {
  const workspace = newFolder()
  const file = join(workspace, 'a.txt')
  const host = await newHost()
  const loop = loopOf(
    async (it) => {
      await it.step('write', () => writeFileSync(file, 'good'))
      await it.check()
    },
    [{ type: 'checks-pass' }],
  )
  const run = await host.start(loop, {
    input: null,
    workspace,
    limits: { iterations: 2 },
    checks: {
      good: async () => ({
        status: readFileSync(file, 'utf8') === 'good' ? 'met' : 'not-met',
        output: '',
      }),
      formatter: async () => {
        writeFileSync(file, 'BAD')
        writeFileSync(join(workspace, 'cache'), 'x')
        return { status: 'met', output: '' }
      },
    },
  })
  expect(await run.done).toMatchObject({ outcome: { type: 'completed' } })
  expect(readFileSync(file, 'utf8')).toBe('good')
  expect(existsSync(join(workspace, 'cache'))).toBe(false)
})

test('E9: a loop that swallows every error can still be cancelled, and blocks nothing', async () => {
  const host = await newHost()
  const loop = loopOf(async (it) => {
    while (true) {
      try {
        await it.step('work', () => new Promise((resolve) => setTimeout(resolve, 5)))
      } catch {
        // Nothing stops it.
      }
    }
  })
  const run = await host.start(loop, { input: null, name: 'stubborn' })
  await host.sendDecision('stubborn', { type: 'cancel', reason: 'enough' }, 'me')
  expect(await run.done).toMatchObject({ outcome: { type: 'cancelled' } })
})

test('an interrupted stream is not stored as if it were complete', async () => {
  const host = await newHost()
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('first half')
    throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  }
  const loop = loopOf((it) => it.artifact('report', broken()))
  const run = await host.start(loop, { input: null, limits: { iterations: 1 }, name: 'torn' })
  await run.done
  const { state } = await host.inspect('torn')
  expect(state.metrics.steps).toBe(0)
  expect(state.lastEnding).toMatchObject({ type: 'error', fault: { code: 'ECONNRESET' } })
})

test('missing content leaves the run resumable, and it continues when the content is restored', async () => {
  const host = await newHost()
  const stop = new AbortController()
  const loop = loopOf(async (it) => {
    const large = await it.step('large', () => 'x'.repeat(100_000))
    await it.ask('go', { text: 'Go?', default: 'yes' })
    return large.length
  })
  const run = await host.start(loop, { input: null, name: 'away', signal: stop.signal })
  for await (const { event } of run.events()) {
    if (event.type === 'step-started' && event.question !== undefined) stop.abort()
  }
  const [named] = await host.journal.namedContent()
  const path = host.blobs.path(named?.hash as never)
  const content = readFileSync(path)
  rmSync(path)
  const resumed = await host.resume('away', loop)
  await expect(resumed.done).rejects.toThrow(/content|blob/i)
  writeFileSync(path, content)
  await host.answer('away', 'go', 'yes', 'me')
  expect(await (await host.resume('away', loop)).done).toMatchObject({ type: 'ended' })
})

test('a provider whose window has always just opened is called less and less often', async () => {
  const host = await newHost()
  let calls = 0
  const loop = loopOf((it) =>
    it.step('call', () => {
      calls++
      throw rateLimited('slow down', 0)
    }),
  )
  const run = await host.start(loop, { input: null, name: 'eager' })
  for await (const { event } of run.events()) {
    if (event.type === 'iteration-ended' && calls === 2) break
  }
  const { state } = await host.inspect('eager')
  expect(state.lastEnding).toMatchObject({ type: 'rate-limited' })
  await host.sendDecision('eager', { type: 'cancel', reason: 'enough' }, 'me')
  await run.done
  expect(calls).toBe(2)
})

test.each([
  ['an object without a prototype', Object.create(null) as unknown],
  ['a fault without a message', new FaultError({ code: 'x' } as never)],
  ['an error whose message is not text', Object.assign(new Error('x'), { message: { a: 1 } })],
  ['a fault that contains itself', new FaultError(cyclic())],
])('%s, thrown by a step, ends the run with an outcome', async (_name, thrown) => {
  const host = await newHost()
  const loop = loopOf((it) =>
    it.step('bad', () => {
      throw thrown
    }),
  )
  const run = await host.start(loop, { input: null, limits: { iterations: 1 } })
  expect(await run.done).toMatchObject({ type: 'ended' })
})

function cyclic(): ConstructorParameters<typeof FaultError>[0] {
  const fault = { code: 'x', message: 'y', retryable: false, self: {} }
  fault.self = fault
  return fault
}

test('an observer that throws something odd does no harm', async () => {
  const host = await newHost()
  const run = await host.start(
    loopOf(async () => 1),
    {
      input: null,
      hooks: [
        {
          name: 'odd',
          points: ['before-run', 'after-run'],
          run: () => {
            throw Object.create(null)
          },
        },
      ],
    },
  )
  expect(await run.done).toMatchObject({ type: 'ended' })
})

test('a step that is not awaited does not end the process by failing', async () => {
  const host = await newHost()
  const loop = loopOf(async (it) => {
    void it.step('forgotten', () => {
      throw new Error('nobody hears this')
    })
    return it.step('other', () => 1)
  })
  const run = await host.start(loop, { input: null, name: 'floating' })
  expect(await run.done).toMatchObject({ type: 'ended' })
  expect((await host.inspect('floating')).state.metrics.stepsFailed).toBe(1)
})

test('too many branches at once are refused', async () => {
  const host = await newHost()
  const many = Object.fromEntries(
    Array.from({ length: 1001 }, (_, index) => [`b${index}`, async () => index]),
  )
  const run = await host.start(
    loopOf((it) => it.parallel(many)),
    { input: null },
  )
  expect(await run.done).toMatchObject({ outcome: { fault: { code: 'bad-request' } } })
})

test('a retry without a number of attempts uses the default', async () => {
  const host = await newHost()
  let calls = 0
  const retry = { attempts: undefined, firstDelayMs: 1 } as unknown as { firstDelayMs: number }
  const loop = loopOf((it) =>
    it.step(
      'flaky',
      () => {
        calls++
        throw flaky
      },
      { retry },
    ),
  )
  await (await host.start(loop, { input: null, limits: { iterations: 1 } })).done
  expect(calls).toBe(3)
})
