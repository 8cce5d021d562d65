/** Loops written in TypeScript, in their own process, against a real host. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { viewPanels } from '../src/history/views/index.ts'
import type { Iteration } from '../src/host/index.ts'
import { fixtures, loopText, open, partsOf, typeOf, writeLoop } from './code-loop-fixture.ts'
import { lines, newFolder, newHost } from './host-fixture.ts'
import { share } from './share.ts'

test('a loop that brings its own agent, tools, checks and hooks runs to its end', async () => {
  const log = join(newFolder(), 'log')
  process.env['WHOLE_LOG'] = log
  const loop = await open(join(fixtures, 'whole.ts'))
  delete process.env['WHOLE_LOG']
  expect(loop.settings).toEqual({
    name: 'whole',
    input: { to: 3 },
    limits: { iterations: 5 },
    agent: { script: [[{ say: '' }]] },
    tools: ['read', 'shout'],
    checks: { good: { run: ['false'] }, lint: 'true' },
  })
  const host = await newHost()
  const workspace = newFolder()
  const run = await host.start(typeOf(loop), {
    ...partsOf(loop),
    input: { to: 3 },
    name: 'whole',
    workspace,
    source: loop.source,
  })
  expect(await run.done).toMatchObject({
    type: 'ended',
    outcome: { type: 'completed', condition: 'all(checks-pass, enough)' },
  })
  const { state } = await host.inspect('whole')
  expect(state.progress).toEqual({ total: 7, said: '"UP TO 3!" true "HI!"' })
  expect(state.iteration).toBe(2)
  expect(state.spent).toEqual({ tokens: 10, costMicros: 10 })
  expect(state.metrics.tools?.['shout']).toMatchObject({ calls: 4 })
  expect(readFileSync(log, 'utf8').split('\n').slice(0, 4)).toEqual([
    'first#1',
    'first#1',
    '0.left/one#1',
    '0.right/two#1',
  ])
})

test('what it shows in a step with the role `panels` is on the page of its run', async () => {
  const panel = { type: 'table', title: 'Scores', columns: ['Case', 'Score'], rows: [['a', 1]] }
  const text = loopText(
    `await it.step('scores', () => [${JSON.stringify(panel)}], { readOnly: true, role: 'panels' }); return 1`,
  )
  const loop = await open(writeLoop({ 'loop.ts': text }))
  const host = await newHost()
  const run = await host.start(typeOf(loop), { ...partsOf(loop), input: null, name: 'shows' })
  await run.done
  expect(await viewPanels(host, run.id, () => undefined)).toEqual({
    name: 'Results',
    items: [panel],
    problems: [],
  })
})

test('its progress and conditions see the findings of the engine', async () => {
  const text = loopText(
    'return it.number',
    `checks: { red: async () => ({ status: 'not-met', output: '' }) },`,
  ).replace(
    /extractProgress[^\n]*\n[^\n]*/,
    `extractProgress: (result: any, previous: any, { checks }: any) =>
      checks.map(({ check, status, reused }: any) => [check, status, reused === true, result]),
    until: [{ type: 'custom', name: 'red', ends: 'stuck', met: (progress: any) => progress.length === 1 }],`,
  )
  const loop = await open(writeLoop({ 'loop.ts': text }))
  const host = await newHost()
  const workspace = newFolder()
  const run = await host.start(typeOf(loop), {
    ...partsOf(loop),
    input: null,
    name: 'one',
    workspace,
  })
  expect(await run.done).toMatchObject({ outcome: { type: 'stuck', condition: 'red' } })
  const { state } = await host.inspect('one')
  expect(state.progress).toEqual([['red', 'not-met', false, 1]])
})

test('values and errors are the same as in our process', async () => {
  const text = loopText(`
    const seen: Record<string, unknown> = {}
    seen.frozen = Object.isFrozen(await it.step('object', () => ({ a: [1] })))
    seen.nothing = (await it.step('nothing', () => undefined)) === undefined
    try { await it.step('fault', () => { throw new FaultError({ code: 'mine', message: 'no', retryable: false }) }) }
    catch (error) { seen.fault = error instanceof FaultError && error.fault.code }
    try { await it.step('nested', async () => { await null; await it.step('inner', () => 1) }) }
    catch (error) { seen.nested = (error as any).fault.code }
    const mine = new Error('mine')
    try { await it.parallel({ a: async () => { throw mine } }) } catch (error) { seen.same = error === mine }
    try { await it.step('', () => 1) } catch (error) { seen.name = (error as LoopError).code }
    seen.context = context
    seen.number = it.number
    seen.left = it.budget.remaining().tokens
    seen.workspace = it.workspace
    async function* stream() { yield Buffer.alloc(3_000_000, 'a'); yield new Uint8Array([1]) }
    seen.stream = (await it.artifact('stream', stream())).bytes
    seen.bytes = (await it.artifact('bytes', new Uint8Array([1, 2]))).bytes
    seen.long = (await it.artifact('long', 'x'.repeat(9_000_000))).bytes
    it.step('not waited for', () => { throw new Error('nobody looks') })
    return seen
  `)
  const loop = await open(writeLoop({ 'loop.ts': text }))
  const host = await newHost()
  const run = await host.start(typeOf(loop), { input: { a: 1 }, name: 'values' })
  await run.done
  const { state } = await host.inspect('values')
  expect(state.progress).toEqual({
    frozen: true,
    nothing: true,
    fault: 'mine',
    nested: 'nested-step',
    same: true,
    name: 'bad-name',
    context: { input: { a: 1 } },
    number: 1,
    left: 2_000_000,
    stream: 3_000_001,
    bytes: 2,
    long: 9_000_000,
  })
})

test.each(['loop.ts', 'loop.mjs', ...share(['loop.mts', 'loop.js'], [])])(
  'a loop file may be %s',
  async (name) => {
    const text = `
    import data from './data.json' with { type: 'json' }
    export default { loop: {
      name: 'short',
      createContext: () => null,
      iterate: async (_context, it) => it.step('n', () => data.n),
      extractProgress: (result) => result,
      until: [{ type: 'max-iterations', iterations: 1 }],
    } }`
    const loop = await open(writeLoop({ [name]: text, 'data.json': '{"n":5}' }))
    const host = await newHost()
    await (await host.start(typeOf(loop), { input: null, name: 'short' })).done
    expect((await host.inspect('short')).state.progress).toBe(5)
  },
)

test('files, actions and questions work between the two processes', async () => {
  const body = `
    const before = it.workspace.tree
    await it.step('write', () => writeFileSync(it.workspace.path + '/a.txt', 'a'))
    const changed = await it.workspace.changedSince(before)
    const receipts = [
      await it.act({ kind: 'comment', summary: 'good', details: { n: 1 } }),
      await it.act({ kind: 'merge', summary: 'bad' }),
    ]
    const { answer, by } = await it.ask('sure', { text: 'Sure?', options: ['yes', 'no'], default: 'no', deadlineMs: 1 })
    return { changed, moved: before !== it.workspace.tree, receipts, answer, by }`
  const parts = `
    gate: { judge: async (action) => action.kind === 'comment' ? { type: 'allow' } : { type: 'deny', reason: 'never' } },
    actions: {
      perform: async (action, key, { attempt }) => ({ status: 'done', summary: action.summary, details: [typeof key, attempt] }),
      find: async () => ({ type: 'not-done' }),
    },`
  const text = loopText(body, parts, `import { writeFileSync } from 'node:fs'`)
  const loop = await open(writeLoop({ 'loop.ts': text }))
  const host = await newHost()
  const options = { ...partsOf(loop), input: null, name: 'parts', workspace: newFolder() }
  await (await host.start(typeOf(loop), options)).done
  expect((await host.inspect('parts')).state.progress).toEqual({
    changed: ['a.txt'],
    moved: true,
    receipts: [
      { status: 'done', summary: 'good', details: ['string', 1] },
      { status: 'refused', summary: expect.stringContaining('never') },
    ],
    answer: 'no',
    by: 'default',
  })
})

test('checks in code work for a loop in our process, and a check that ends its process has not passed', async () => {
  const marker = join(newFolder(), 'once')
  writeFileSync(marker, '')
  const text = `
    import { existsSync, rmSync } from 'node:fs'
    export default {
      checks: {
        sound: async ({ workspace }: any) => ({ status: existsSync(workspace + '/lines.txt') ? 'met' : 'not-met', output: '' }),
        deadly: async () => {
          if (existsSync(${JSON.stringify(marker)})) { rmSync(${JSON.stringify(marker)}); process.exit(9) }
          return { status: 'met', output: 'alive' }
        },
      },
    }`
  const loop = await open(writeLoop({ 'loop.ts': text }))
  expect(loop.loop).toBeUndefined()
  const host = await newHost()
  const type = {
    ...lines,
    async iterate(goal: number, it: Iteration) {
      const count = await lines.iterate(goal, it)
      await it.check()
      return count
    },
    until: [{ type: 'checks-pass' } as const],
  }
  const run = await host.start(type, {
    ...partsOf(loop),
    input: 9,
    name: 'checked',
    workspace: newFolder(),
  })
  expect(await run.done).toMatchObject({ outcome: { type: 'completed', condition: 'checks-pass' } })
  const found = []
  for await (const { event } of host.events('checked', { follow: false })) {
    if (event.type === 'step-finished' && event.evidence !== undefined) {
      found.push(`${event.evidence.check} ${event.evidence.status}`)
    }
  }
  expect(found).toEqual(['sound met', 'deadly error', 'sound met', 'deadly met'])
})
