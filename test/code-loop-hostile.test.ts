/** Code loops that spin, exit, die, flood or lie: each affects only itself. */

import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Host } from '../src/host/index.ts'
import { loopText, open, partsOf, typeOf, writeLoop } from './code-loop-fixture.ts'
import { lines, newFolder, newHost } from './host-fixture.ts'

const endingOf = async (host: Host, name: string): Promise<unknown> =>
  (await host.inspect(name)).state.lastEnding

/** A zombie is not alive. */
const isAlive = (pid: number | undefined): boolean => {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z'
  return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
}

test.each([
  ['iterate', `for (;;) {}`],
  ['a step', `await it.step('spin', () => { for (;;) {} })`],
  ['microtasks', `for (;;) await null`],
])(
  'a loop that spins in %s is killed, its iteration fails, and others continue',
  async (_name, body) => {
    const loop = await open(
      writeLoop({
        'loop.ts': loopText(`if (it.number === 1) { ${body} }; return it.number`).replace(
          'iterations: 1',
          'iterations: 2',
        ),
      }),
      1500,
    )
    const host = await newHost()
    const spinning = await host.start(typeOf(loop), { input: null, name: 'spinning' })
    const other = await host.start(lines, { input: 4, workspace: newFolder() })
    expect(await other.done).toMatchObject({ outcome: { type: 'completed' } })
    await spinning.done
    const { state } = await host.inspect('spinning')
    // Another process makes the second trip.
    expect(state.progress).toBe(2)
    const faults = []
    for await (const { event } of host.events('spinning', { follow: false })) {
      if (event.type === 'iteration-ended' && event.ending.type === 'error')
        faults.push(event.ending.fault.code)
    }
    expect(faults).toEqual(['loop-unresponsive'])
  },
)

test('a loop that spins can still be cancelled, and its process is gone when it is closed', async () => {
  const loop = await open(writeLoop({ 'loop.ts': loopText(`for (;;) {}`) }))
  const { pid } = loop
  const host = await newHost()
  const run = await host.start(typeOf(loop), { input: null, name: 'endless' })
  await host.sendDecision('endless', { type: 'cancel', reason: 'enough' }, 'me')
  expect(await run.done).toMatchObject({ outcome: { type: 'cancelled' } })
  await loop.close()
  expect(pid).toBeTypeOf('number')
  expect(isAlive(pid)).toBe(false)
})

test('a step is notified that its run is cancelled, and a step that waits is not mistaken for one that spins', async () => {
  const body = `
    await it.step('wait', ({ signal }) => new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    }))`
  const loop = await open(writeLoop({ 'loop.ts': loopText(body) }), 1000)
  const host = await newHost()
  const run = await host.start(typeOf(loop), { input: null, name: 'waiting' })
  await sleep(2500)
  expect((await host.inspect('waiting')).state.status).toBe('running')
  await host.sendDecision('waiting', { type: 'cancel', reason: 'enough' }, 'me')
  expect(await run.done).toMatchObject({ outcome: { type: 'cancelled' } })
})

test.each([
  ['process.exit()', `process.exit(0)`, /exit code 0/],
  [
    'an uncaught error',
    `setTimeout(() => { throw new Error('late') }, 1); await new Promise(() => {})`,
    /exit code 1.*late/s,
  ],
  [
    'an unhandled rejection',
    `void Promise.reject(new Error('dropped')); await new Promise(() => {})`,
    /dropped/,
  ],
  ['kill -9', `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})`, /by SIGKILL/],
  ['exit in a step', `await it.step('exit', () => process.exit(7))`, /exit code 7/],
])(
  '%s ends that iteration with a fault, and the next one continues',
  async (_name, body, message) => {
    const text = loopText(`if (it.number === 1) { ${body} }; return it.number`)
    const loop = await open(
      writeLoop({ 'loop.ts': text.replace('iterations: 1', 'iterations: 2') }),
    )
    const host = await newHost()
    const run = await host.start(typeOf(loop), { input: null, name: 'dying' })
    await run.done
    const { state } = await host.inspect('dying')
    expect(state).toMatchObject({ iteration: 2, progress: 2 })
    const endings = []
    for await (const { event } of host.events('dying', { follow: false })) {
      if (event.type === 'iteration-ended') endings.push(event.ending)
    }
    expect(endings[0]).toMatchObject({
      type: 'error',
      recoverable: true,
      fault: { code: 'loop-died', message: expect.stringMatching(message) },
    })
  },
)

test('kill -9 of its process during parallel steps is one fault, with consistent events', async () => {
  const body = `
    if (it.number === 1) await it.parallel({
      a: (branch) => branch.step('a', () => new Promise(() => {})),
      b: (branch) => branch.step('b', () => { console.log('under way'); return new Promise(() => {}) }),
    })
    return it.number`
  const loop = await open(
    writeLoop({ 'loop.ts': loopText(body).replace('iterations: 1', 'iterations: 2') }),
  )
  const host = await newHost()
  const run = await host.start(typeOf(loop), { input: null, name: 'killed' })
  let started = 0
  for await (const { event } of run.events()) {
    if (event.type === 'step-started' && ++started === 2) process.kill(loop.pid ?? 0, 'SIGKILL')
  }
  expect((await host.inspect('killed')).state).toMatchObject({ iteration: 2, progress: 2 })
  const failed = []
  for await (const { event } of host.events('killed', { follow: false })) {
    if (event.type === 'step-failed') failed.push(event.fault.code)
  }
  expect(failed).toEqual(['loop-died', 'loop-died'])
})

test('processes that it started end with it', async () => {
  const body = `
    const { spawn } = await import('node:child_process')
    const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true })
    return child.pid`
  const loop = await open(writeLoop({ 'loop.ts': loopText(body) }))
  const host = await newHost()
  await (await host.start(typeOf(loop), { input: null, name: 'parent' })).done
  const pid = (await host.inspect('parent')).state.progress as number
  expect(isAlive(pid)).toBe(true)
  await loop.close()
  expect(isAlive(pid)).toBe(false)
})

test('a value that is too large is refused where it is created, with advice', async () => {
  const body = `return await it.step('large', () => 'x'.repeat(40_000_000))`
  const loop = await open(writeLoop({ 'loop.ts': loopText(body) }))
  const host = await newHost()
  await (await host.start(typeOf(loop), { input: null, name: 'large' })).done
  expect(await endingOf(host, 'large')).toMatchObject({
    fault: { code: 'not-serialisable', message: expect.stringContaining('it.artifact') },
  })
})

const raw = (code: string): string => `
  const { writeSync } = await import('node:fs')
  const send = (text: string, bytes = Buffer.byteLength(text)) => {
    const header = Buffer.alloc(4); header.writeUInt32BE(bytes)
    for (const part of [header, Buffer.from(text)]) {
      for (let at = 0; at < part.length;) {
        try { at += writeSync(3, part, at) } catch (error: any) { if (error.code !== 'EAGAIN') throw error }
      }
    }
  }
  ${code}
  await new Promise(() => {})`

test.each([
  ['announces a message without an end', `send('', 4_000_000_000)`],
  ['sends something other than JSON', `send('{')`],
  ['sends JSON that is not a message', `send('{"type":"shout"}')`],
  ['sends deeply nested JSON', `send('['.repeat(1_000_000))`],
  [
    'has too many calls open',
    `for (let id = 0; id < 20_000; id++) send(JSON.stringify({ type: 'call', id, name: 'op', args: { it: 99, op: { type: 'check' } } }))`,
  ],
])('a loop that %s is killed', async (_name, code) => {
  const loop = await open(writeLoop({ 'loop.ts': loopText(raw(code)) }))
  const host = await newHost()
  await (await host.start(typeOf(loop), { input: null, name: 'liar' })).done
  expect(await endingOf(host, 'liar')).toMatchObject({ fault: { code: 'loop-misbehaved' } })
})

test.each([
  ['an unknown request', { type: 'rob' }],
  ['a name that is not text', { type: 'sleep', name: 7, ms: 1 }],
  [
    'options of another kind',
    { type: 'step', name: 'a', options: { timeoutMs: 'soon' }, code: 'x' },
  ],
])('%s is refused, and the run reports why', async (_name, op) => {
  const body = raw(
    `send(JSON.stringify({ type: 'call', id: 900, name: 'op', args: { it: 1, op: ${JSON.stringify(op)} } })); return 'alive'`,
  )
  const loop = await open(writeLoop({ 'loop.ts': loopText(body) }))
  const host = await newHost()
  await (await host.start(typeOf(loop), { input: null, name: 'odd' })).done
  expect((await host.inspect('odd')).state.progress).toBe('alive')
})

test('invalid return values of parts in code are faults, and that of a gate denies', async () => {
  const parts = `
    agent: { work: async () => ({ status: 'great' }) },
    checks: { odd: async () => ({ status: 'yes' }) },
    gate: { judge: async () => 'allow' },
    actions: { perform: async () => ({ status: 'done', summary: '' }), find: async () => ({ type: 'not-done' }) },
  `
  const body = `
    const seen: any[] = []
    try { await it.agent('maker', { prompt: 'x' }) } catch (error: any) { seen.push(error.fault.code) }
    seen.push((await it.check())[0].status)
    try { seen.push((await it.act({ kind: 'publish', summary: 'x' })).status) } catch (error: any) { seen.push(error.fault.code) }
    return seen`
  const loop = await open(writeLoop({ 'loop.ts': loopText(body, parts) }))
  const host = await newHost()
  await (await host.start(typeOf(loop), { ...partsOf(loop), input: null, name: 'odd' })).done
  expect((await host.inspect('odd')).state.progress).toEqual(['bad-answer', 'error', 'refused'])
})

test('a loop that claims it was interrupted, and was not, has failed', async () => {
  const body = `
    const { AsyncLocalStorage } = await import('node:async_hooks')
    void AsyncLocalStorage
    throw Object.assign(new Error('x'), { name: 'Interruption', reason: 'x' })`
  const loop = await open(writeLoop({ 'loop.ts': loopText(body) }))
  const host = await newHost()
  await (await host.start(typeOf(loop), { input: null, name: 'liar' })).done
  expect(await endingOf(host, 'liar')).toMatchObject({ type: 'error', fault: { code: 'bug' } })
})

test('a provider that says "not now" is waited for, as in our process', async () => {
  const body = `
    return await it.step('call', ({ attempt }) => {
      if (attempt === 1) throw rateLimited('not now', Date.now() + 50)
      return 'answered'
    })`
  const loop = await open(writeLoop({ 'loop.ts': loopText(body) }))
  const host = await newHost()
  await (await host.start(typeOf(loop), { input: null, name: 'limited' })).done
  expect((await host.inspect('limited')).state).toMatchObject({
    iteration: 1,
    progress: 'answered',
  })
})

test('E4: spending over the budget is refused to its code, and ends the run', async () => {
  const body = `
    return await it.step('call', async ({ reserve }: any) => {
      const first = await reserve({ tokens: 80, costMicros: 0 })
      await first.settle({ tokens: 70, costMicros: 0 })
      await reserve({ tokens: 31, costMicros: 0 })
      return 'spent'
    })`
  const loop = await open(
    writeLoop({ 'loop.ts': loopText(body).replace('iterations: 1', 'iterations: 5') }),
  )
  const host = await newHost()
  const limits = { tokens: 100 }
  const run = await host.start(typeOf(loop), { input: null, name: 'poor', limits })
  expect(await run.done).toMatchObject({ outcome: { type: 'exhausted', limit: 'tokens' } })
  expect((await host.inspect('poor')).state.spent.tokens).toBe(70)
})

test('E9: a loop that swallows every error can still be cancelled', async () => {
  const body = `
    for (;;) {
      try { await it.step('work', () => new Promise((resolve) => setTimeout(resolve, 5))) } catch {}
    }`
  const loop = await open(writeLoop({ 'loop.ts': loopText(body) }))
  const host = await newHost()
  const run = await host.start(typeOf(loop), { input: null, name: 'stubborn' })
  await host.sendDecision('stubborn', { type: 'cancel', reason: 'enough' }, 'me')
  expect(await run.done).toMatchObject({ outcome: { type: 'cancelled' } })
})
