import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Host } from '../../host/host.ts'
import { openHost } from '../../host/open-host.ts'
import { add, defined, FaultError, type LoopType, type RunId, zero } from '../../loop/index.ts'
import { writeRun } from '../../testing/write-run.ts'
import {
  viewEvents,
  viewEvidence,
  viewInbox,
  viewIterations,
  viewLedger,
  viewOutput,
  viewProgress,
  viewRuns,
  viewSteps,
} from './index.ts'

let folder: string
let host: Host
let run: RunId

const retryable = new FaultError({ code: 'flaky', message: 'again', retryable: true })

/** Spends in every possible way: reported, reserved and settled, reserved and lost, failed and retried. */
const spender: LoopType<null, null, number, number> = {
  name: 'spender',
  createContext: () => null,
  async iterate(_context, it) {
    await it.step('prompt', () => ({ prompt: `Do ${it.number}.`, tokens: 1, cuts: [] }))
    await it.step('plain', ({ spend }) => spend({ tokens: 1, costMicros: 10 }), {
      reserve: { tokens: 100, costMicros: 100 },
    })
    await it.step(
      'reserves',
      async ({ reserve, attempt }) => {
        const reserved = await reserve({ tokens: 50, costMicros: 50 })
        if (attempt === 1) throw retryable
        await reserved.settle({ tokens: 7, costMicros: 70 })
        await reserve({ tokens: 3, costMicros: 3 })
      },
      { retry: { attempts: 2, firstDelayMs: 1 } },
    )
    await it.agent('maker', { prompt: 'x' })
    await it.check()
    await it.step('changes', () => ['a.txt'])
    await it.artifact('log', 'content')
    return it.number
  },
  extractProgress: (result) => result,
  until: [],
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-views-'))
  host = await openHost({ folder, synchronous: 'NORMAL' })
  const handle = await host.start(spender, {
    input: null,
    name: 'spends',
    limits: { iterations: 3 },
    agents: {
      work: async (_role, _task, context) => {
        context.note({ type: 'said', text: 'grün ' })
        context.note({ type: 'said', text: 'und rot' })
        return { status: 'done', text: 'all done', usage: zero, turns: 1 }
      },
    },
    checks: { ok: async () => ({ status: 'not-met', exitCode: 3, output: 'no\n' }) },
  })
  run = handle.id
  await handle.done
})

afterAll(async () => {
  await host.close()
  rmSync(folder, { recursive: true })
})

interface Paged<T> {
  readonly items: readonly T[]
  readonly next?: string
}

/** Reads a whole list, in pages of this size. */
async function all<T>(
  limit: number,
  read: (options: { limit: number; cursor?: string }) => Promise<Paged<T>>,
): Promise<readonly T[]> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await read({ limit, ...defined({ cursor }) })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return items
}

describe('a view in pages of any size is the same list', () => {
  test.each([1, 2, 7])('of %i', async (limit) => {
    const lists = [
      (options: object) => viewSteps(host, run, options),
      (options: object) => viewLedger(host, run, options),
      (options: object) => viewEvidence(host, run, options),
      (options: object) => viewIterations(host, run, options),
      (options: object) => viewEvents(host, run, options),
      (options: object) => viewOutput(host, run, options),
    ] as const
    for (const read of lists) {
      const whole = await all<unknown>(1000, read)
      expect(whole.length).toBeGreaterThan(2)
      expect(await all<unknown>(limit, read)).toEqual(whole)
    }
  })
})

test('the entries of the ledger, the steps and the iterations add up to what the run has spent', async () => {
  const { state } = await host.inspect(run)
  const ledger = await viewLedger(host, run)
  const spent = ledger.items.filter(({ type }) => type !== 'reserved').map(({ amount }) => amount)
  expect(spent.reduce(add, zero)).toEqual(state.spent)
  expect(ledger).toMatchObject({ spent: state.spent, reserved: zero })
  const steps = (await viewSteps(host, run)).items
  expect(steps.map((step) => step.spent).reduce(add, zero)).toEqual(state.spent)
  const iterations = (await viewIterations(host, run)).items
  expect(iterations.map((one) => one.spent).reduce(add, zero)).toEqual(state.spent)
})

test('steps show how each attempt ended, and its artifacts', async () => {
  const { items } = await viewSteps(host, run)
  const first = items.filter(({ iteration }) => iteration === 1)
  expect(first.map(({ name, kind, attempt, state }) => [name, kind, attempt, state])).toEqual([
    ['prompt', 'step', 1, 'done'],
    ['plain', 'step', 1, 'done'],
    ['reserves', 'step', 1, 'retrying'],
    ['reserves', 'step', 2, 'done'],
    ['maker', 'agent', 1, 'done'],
    ['ok', 'check', 1, 'done'],
    ['changes', 'step', 1, 'done'],
    ['log', 'artifact', 1, 'done'],
  ])
  expect(first[5]).toMatchObject({ phase: 'verification', exitCode: 3 })
  expect(first[7]?.artifacts).toMatchObject([{ name: 'log', bytes: 7 }])
})

test('an iteration shows its prompt, report, changed files and checks', async () => {
  const { items } = await viewIterations(host, run)
  expect(items.map(({ iteration }) => iteration)).toEqual([1, 2, 3])
  expect(items[1]).toMatchObject({
    prompt: 'Do 2.',
    report: 'all done',
    changed: ['a.txt'],
    checks: [{ check: 'ok', status: 'not-met' }],
    undone: false,
    entered: 1,
    ending: { type: 'continue' },
  })
})

test('evidence contains the results of checks with their output', async () => {
  const { items } = await viewEvidence(host, run)
  expect(items).toHaveLength(3)
  expect(items[0]).toMatchObject({
    evidence: { check: 'ok', status: 'not-met', iteration: 1 },
    exitCode: 3,
    output: 'no\n',
  })
})

test('output counts the bytes of each step, also if reading starts in the middle', async () => {
  const { items } = await viewOutput(host, run)
  const said = items.map(({ iteration, source, offset, text }) => [iteration, source, offset, text])
  expect(said.slice(0, 4)).toEqual([
    [1, 'agent', 0, 'grün '],
    [1, 'agent', 6, 'und rot'],
    [1, 'report', 13, 'all done'],
    [1, 'check', 0, 'no\n'],
  ])
  const rest = await viewOutput(host, run, { after: items[0]?.seq ?? 0 })
  expect(rest.items).toEqual(items.slice(1))
})

test('progress shows the position of the run', async () => {
  const progress = await viewProgress(host, run)
  expect(progress).toMatchObject({ status: 'exhausted', iteration: 3, progress: 3 })
  expect(progress.open).toBeUndefined()
})

test('runs are filtered, newest first', async () => {
  for (const [name, workspace] of [
    ['a-1', '/one'],
    ['a-2', '/two'],
    ['b-1', '/one'],
  ] as const) {
    await writeRun(host.journal, { name, workspace })
  }
  const names = async (filter: Parameters<typeof viewRuns>[1]): Promise<readonly string[]> =>
    (await all(2, (page) => viewRuns(host, { ...filter, ...page }))).map(({ name }) => name)
  expect(await names({})).toEqual(['b-1', 'a-2', 'a-1', 'spends'])
  expect(await names({ name: 'a-' })).toEqual(['a-2', 'a-1'])
  expect(await names({ workspace: '/one' })).toEqual(['b-1', 'a-1'])
  expect(await names({ status: ['exhausted'] })).toEqual(['spends'])
  expect(await names({ status: ['pending', 'exhausted'], loop: 'spender' })).toEqual(['spends'])
  expect(await names({ createdAfterMs: 1000 })).toEqual(['spends'])
  expect(await names({ createdBeforeMs: 1001 })).toEqual(['b-1', 'a-2', 'a-1'])
})

test('the inbox has the open questions of all runs, earliest deadline first', async () => {
  const ask = async (
    name: string,
    wakeAtMs: number,
  ): Promise<Awaited<ReturnType<typeof writeRun>>> => {
    const written = await writeRun(host.journal, { name })
    await written.take()
    const question = { text: name, default: 'no' }
    await written.write({ type: 'iteration-started', iteration: 1 })
    const step = 'ask:it#1' as never
    await written.write({
      type: 'step-started',
      iteration: 1,
      step,
      attempt: 1,
      wakeAtMs,
      question,
    })
    return written
  }
  const late = await ask('late', 3000)
  await ask('soon', 2000)
  const answered = await ask('answered', 1000)
  const removed = await ask('removed', 1000)
  await host.answer(answered.run, '1/ask:it#1', 'yes', 'me')
  await removed.write({ type: 'run-ended', outcome: { type: 'cancelled', by: 'me', reason: '' } })
  const inbox = await all(1, (page) => viewInbox(host, page))
  expect(inbox.map(({ run: { name }, id }) => [name, id])).toEqual([
    ['soon', '1/ask:it#1'],
    ['late', '1/ask:it#1'],
  ])
  expect((await host.inspect(late.run)).questions).toHaveLength(1)
})

test.each(['', 'x', 'WzFd', Buffer.from('["a"]').toString('base64url')])(
  'a cursor that was not given out is refused: %s',
  async (cursor) => {
    await expect(viewLedger(host, run, { cursor })).rejects.toMatchObject({ code: 'bad-request' })
  },
)
