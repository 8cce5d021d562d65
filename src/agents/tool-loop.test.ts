import { describe, expect, test } from 'vitest'
import { defined } from '../loop/index.ts'
import { createAgentContext, type TestAgentContext } from '../testing/agent-context.ts'
import type { ChatModel, ChatRequest, Reply } from './conversation.ts'
import { runToolLoop } from './tool-loop.ts'

type Turn = Partial<Reply> | ((ask: ChatRequest) => Partial<Reply> | Promise<Partial<Reply>>)

/** Replies with the given turns, repeating the last one, and records what it was asked. */
function createFakeModel(...turns: readonly Turn[]): ChatModel & { readonly asked: ChatRequest[] } {
  const asked: ChatRequest[] = []
  return {
    asked,
    async answer(ask) {
      asked.push({ ...ask, messages: [...ask.messages] })
      const turn = turns[Math.min(asked.length, turns.length) - 1] ?? {}
      const reply = typeof turn === 'function' ? await turn(ask) : turn
      const usage = { tokens: 10, costMicros: 1 }
      return { text: '', calls: [], stop: 'end', usage, ...reply }
    },
  }
}

let ids = 0
const call = (name: string, args = {}): Partial<Reply> => ({
  calls: [{ id: `c${++ids}`, name, args }],
  stop: 'calls',
})

const work = (chatModel: ChatModel, context: TestAgentContext, turnsMax?: number) =>
  runToolLoop({ chatModel, ...defined({ turnsMax }) }, { prompt: 'Go.' }, context)

const notesOf = (context: TestAgentContext, type: string) =>
  context.notes.filter((note) => note.type === type)

describe('turns', () => {
  test('calls are made one after the other, in order, and all get a result', async () => {
    const order: string[] = []
    const slow = (name: string) => async () => {
      order.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      order.push(`${name} ends`)
      return name
    }
    const context = createAgentContext({ tools: { a: slow('a'), b: slow('b') } })
    const both = [
      { id: '1', name: 'b', args: {} },
      { id: '2', name: 'a', args: {} },
    ]
    const chatModel = createFakeModel({ calls: both, stop: 'calls' }, { text: 'Done.' })
    const report = await work(chatModel, context)
    expect(report).toEqual({
      status: 'done',
      text: 'Done.',
      usage: { tokens: 20, costMicros: 2 },
      turns: 2,
    })
    expect(order).toEqual(['b begins', 'b ends', 'a begins', 'a ends'])
    expect(chatModel.asked[1]?.messages.at(-1)).toEqual({
      role: 'results',
      results: [
        { id: '1', name: 'b', ok: true, text: 'b' },
        { id: '2', name: 'a', ok: true, text: 'a' },
      ],
    })
    expect(notesOf(context, 'turn-ended')).toHaveLength(2)
  })

  test('failures of tools, unknown tools and bad arguments are results, not errors', async () => {
    const context = createAgentContext({
      tools: {
        breaks: () => {
          throw new Error('broken')
        },
      },
    })
    const calls = [
      { id: '1', name: 'breaks', args: {} },
      { id: '2', name: 'nothing', args: {} },
      { id: '3', name: 'breaks', args: {}, problem: 'It is no JSON.' },
    ]
    const chatModel = createFakeModel({ calls, stop: 'calls' }, { text: 'Well.' })
    await work(chatModel, context)
    const last = chatModel.asked[1]?.messages.at(-1)
    const results = last?.role === 'results' ? last.results : []
    expect(results.map(({ ok }) => ok)).toEqual([false, false, false])
    expect(results.map(({ text }) => text)).toEqual([
      'error (tool-failed): Error: broken',
      'error (unknown-tool): No tool nothing.',
      'error (bad-arguments): It is no JSON.',
    ])
    // Calls that could be made went through the engine, which recorded them.
    expect(context.calls).toHaveLength(2)
  })

  test('the model is informed of the remaining budget, and when to finish', async () => {
    const chatModel = createFakeModel((ask) => call('a', { turn: ask.turn }))
    const context = createAgentContext({ tools: { a: () => Math.random() } })
    const report = await work(chatModel, context, 5)
    expect(chatModel.asked.map(({ mayCall }) => mayCall)).toEqual([true, true, true, true, false])
    expect(chatModel.asked.map(({ status }) => status?.includes('Few turns'))).toEqual([
      undefined,
      false,
      true,
      true,
      false,
    ])
    expect(chatModel.asked[4]?.status).toContain('last turn')
    // It called a tool anyway: that call is not made.
    expect(context.calls).toHaveLength(4)
    expect(report).toMatchObject({ status: 'failed', turns: 5 })
    expect(report.text).toContain('after 5 turns')
  })

  test('there are at most 50 turns', async () => {
    const chatModel = createFakeModel((ask) => call('a', { turn: ask.turn }))
    const report = await work(chatModel, createAgentContext({ tools: { a: () => 'ok' } }))
    expect(report.turns).toBe(50)
  })

  test('endless results and reports are cut', async () => {
    const endless = 'x'.repeat(1_000_000)
    const chatModel = createFakeModel(call('a'), { text: `${endless} the end` })
    const report = await work(chatModel, createAgentContext({ tools: { a: () => endless } }))
    expect(report.text.length).toBeLessThan(200_000)
    expect(report.text.endsWith('the end')).toBe(true)
    expect(JSON.stringify(chatModel.asked[1]?.messages).length).toBeLessThan(300_000)
  })

  test('an endless list of calls in one turn is limited', async () => {
    const calls = Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, name: 'a', args: { n } }))
    const context = createAgentContext({ tools: { a: () => 'ok' } })
    const chatModel = createFakeModel({ calls, stop: 'calls' }, { text: 'Done.' })
    await work(chatModel, context)
    expect(context.calls.length).toBeLessThan(100)
    const last = chatModel.asked[1]?.messages.at(-1)
    expect(last?.role === 'results' && last.results).toHaveLength(500)
  })
})

describe('replies that do not end the loop', () => {
  test('a reply that was cut off is continued', async () => {
    const chatModel = createFakeModel({ text: 'One, ', stop: 'length' }, { text: 'two.' })
    const report = await work(chatModel, createAgentContext())
    expect(report).toMatchObject({ status: 'done', text: 'One, two.', turns: 2 })
  })

  test('only consecutive ones are counted, and only the last is the report', async () => {
    const cut = { text: 'lost ', stop: 'length' as const }
    const turns = [cut, cut, call('a', { n: 1 }), cut, cut, call('a', { n: 2 }), { text: 'Kept.' }]
    const report = await work(
      createFakeModel(...turns),
      createAgentContext({ tools: { a: () => 'ok' } }),
    )
    expect(report).toMatchObject({ status: 'done', text: 'Kept.', turns: 7 })
  })

  test('an empty reply is not kept', async () => {
    const chatModel = createFakeModel({}, { text: 'Here I am.' })
    await work(chatModel, createAgentContext())
    expect(chatModel.asked[1]?.messages.map(({ role }) => role)).toEqual(['user', 'user'])
  })

  test.each([
    ['cut off', { text: 'and ', stop: 'length' as const }],
    ['empty', { text: ' ' }],
  ])('three consecutive %s replies end the loop', async (what, turn) => {
    const chatModel = createFakeModel(turn)
    const report = await work(chatModel, createAgentContext())
    expect(report).toMatchObject({ status: 'failed', turns: 3 })
    expect(report.text).toContain(what)
  })

  test.each(['refused', 'failed'] as const)('a reply that %s is a failed report', async (stop) => {
    const report = await work(createFakeModel({ text: 'No.', stop }), createAgentContext())
    expect(report.status).toBe('failed')
    expect(report.text).toContain('No.')
  })

  test.each([
    ['All done.\nSTATUS: blocked', 'blocked', 'All done.'],
    ['I need the key.\n\nSTATUS: needs-context\n', 'needs-context', 'I need the key.'],
    ['STATUS: done-with-concerns', 'done-with-concerns', ''],
    ['STATUS: failed\nNo: it is done.', 'done', 'STATUS: failed\nNo: it is done.'],
    ['status: blocked', 'done', 'status: blocked'],
    ['It said STATUS: blocked', 'done', 'It said STATUS: blocked'],
    ['STATUS: perfect', 'done', 'STATUS: perfect'],
  ])('%j is %s', async (said, status, text) => {
    expect(await work(createFakeModel({ text: said }), createAgentContext())).toMatchObject({
      status,
      text,
    })
  })
})

describe('an agent that is stuck in a loop', () => {
  test('is nudged at the third equal call, and stopped at the sixth', async () => {
    const context = createAgentContext({ tools: { read: () => 'the same' } })
    const chatModel = createFakeModel(() => call('read', { path: 'a' }))
    const report = await work(chatModel, context)
    expect(report).toMatchObject({ status: 'failed', turns: 6 })
    expect(report.text).toContain('read with the same arguments 6 times')
    expect(notesOf(context, 'nudged')).toEqual([{ type: 'nudged', tool: 'read', times: 3 }])
    const nudged = chatModel.asked.map(({ messages }) =>
      JSON.stringify(messages).includes('something else'),
    )
    expect(nudged).toEqual([false, false, false, true, true, true])
  })

  test('is stopped within one turn too', async () => {
    const calls = Array.from({ length: 10 }, (_, n) => ({ id: `${n}`, name: 'read', args: {} }))
    const context = createAgentContext({ tools: { read: () => 'the same' } })
    const report = await work(createFakeModel({ calls, stop: 'calls' }), context)
    expect(report).toMatchObject({ status: 'failed', turns: 1 })
    expect(context.calls).toHaveLength(6)
  })
})

describe('when the run is stopped', () => {
  const stopped = new Error('stopped by a person')

  test('a tool that ignores the signal is not awaited', async () => {
    const stop = new AbortController()
    const hang = () => {
      setImmediate(() => stop.abort(stopped))
      return new Promise<never>(() => undefined)
    }
    const context = createAgentContext({ tools: { hang }, signal: stop.signal })
    await expect(work(createFakeModel(call('hang')), context)).rejects.toBe(stopped)
  })

  test('nothing more is requested', async () => {
    const stop = new AbortController()
    const context = createAgentContext({ tools: { a: () => 'ok' }, signal: stop.signal })
    const chatModel = createFakeModel(() => {
      stop.abort(stopped)
      return call('a')
    })
    await expect(work(chatModel, context)).rejects.toBe(stopped)
    expect(chatModel.asked).toHaveLength(1)
    expect(context.calls).toHaveLength(0)
  })
})

describe('guidance', () => {
  const told = { id: 7, by: 'ada', atMs: 0, text: 'Use the clock.' }
  const place = { ...told, id: 8, at: { file: 'src/a.ts', line: 3 } }

  /** Becomes available when `tell` is called. */
  function createGuidance() {
    let waiting: (typeof told)[] = []
    return {
      tell: (...more: readonly (typeof told)[]) => void waiting.push(...more),
      get waiting() {
        return waiting.length
      },
      async take() {
        const taken = waiting
        waiting = []
        return taken
      },
    }
  }

  test('comes before the next model call, quoted', async () => {
    const guidance = createGuidance()
    const look = () => {
      guidance.tell(told, place)
      return 'seen'
    }
    const context = createAgentContext({ tools: { look }, guidance })
    const chatModel = createFakeModel(call('look'), { text: 'Done.' })
    expect(await work(chatModel, context)).toMatchObject({ status: 'done', turns: 2 })
    expect(chatModel.asked[0]?.messages).toHaveLength(1)
    expect(chatModel.asked[1]?.messages.at(-1)).toEqual({
      role: 'user',
      text: [
        'A person who watches this run tells you:',
        'ada says:\n> Use the clock.',
        'ada says about line 3 of src/a.ts:\n> Use the clock.',
      ].join('\n\n'),
    })
  })

  test('that comes while the model answers its report is answered before the report counts', async () => {
    const guidance = createGuidance()
    const first = () => {
      guidance.tell(told)
      return { text: 'Done.' }
    }
    const chatModel = createFakeModel(first, { text: 'Done with the clock.' })
    const report = await work(chatModel, createAgentContext({ guidance }))
    expect(report).toMatchObject({ status: 'done', text: 'Done with the clock.', turns: 2 })
  })

  test('that comes in the last turn is left for the next iteration', async () => {
    const guidance = createGuidance()
    const first = () => {
      guidance.tell(told)
      return { text: 'Done.' }
    }
    const context = createAgentContext({ guidance })
    expect(await work(createFakeModel(first), context, 1)).toMatchObject({ turns: 1 })
    expect(guidance.waiting).toBe(1)
  })
})

test('it ends at once if a file would be one too many, also if a person has told it something', async () => {
  const failing = async () => ({ ok: false, error: 'too-many-files', output: 'Stop here.' })
  const context = {
    ...createAgentContext({}),
    callTool: failing,
    guidance: { waiting: 1, take: async () => [] },
  }
  const chatModel = createFakeModel({ ...call('write', { path: 'b' }), text: 'I go on.' })
  const report = await work(chatModel, context)
  expect(report).toMatchObject({ status: 'done-with-concerns', ended: 'refused', turns: 1 })
  expect(report.text).toBe('I go on.\nerror (too-many-files): Stop here.')
  expect(chatModel.asked).toHaveLength(1)
})
