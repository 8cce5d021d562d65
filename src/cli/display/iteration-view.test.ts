import { describe, expect, test } from 'vitest'
import type { Json, RunCheck, RunEvent, RunId, StepId, TreeId } from '../../loop/index.ts'
import { createStyle } from '../terminal.ts'
import { createIterationReader, type IterationRecord } from './iteration-record.ts'
import { type IterationView, renderIteration, viewIteration } from './iteration-view.ts'

const run = { id: 'r1', name: 'fix', loop: 'plain' }
const tree = (text: string): TreeId => text as TreeId

/** A second passes before each event. */
function read(events: readonly RunEvent[], wanted?: number): IterationRecord | undefined {
  const reader = createIterationReader(wanted)
  events.forEach((event, index) => {
    const seq = index + 1
    reader.add({ run: 'r1' as RunId, seq, position: seq, atMs: seq * 1000, event })
  })
  return reader.found()
}

function view(
  events: readonly RunEvent[],
  wanted?: number,
  known: readonly RunCheck[] = [],
): IterationView {
  const record = read(events, wanted)
  if (record === undefined) throw new Error('There is no such iteration.')
  const values = record.steps.flatMap(({ step: name, result }): [string, Json][] =>
    result !== undefined && 'value' in result ? [[name, result.value]] : [],
  )
  return viewIteration(run, record, new Map(values), [], known)
}

const render = (events: readonly RunEvent[], wanted?: number): string =>
  renderIteration(createStyle(false), view(events, wanted))

const start = (iteration: number): RunEvent => ({
  type: 'iteration-started',
  iteration,
  tree: tree('before'),
})
const again = (iteration: number): RunEvent => ({
  type: 'iteration-started',
  iteration,
  again: true,
})
const end = (iteration: number): RunEvent => ({
  type: 'iteration-ended',
  iteration,
  ending: { type: 'continue' },
})
const begin = (name: string, iteration = 1): RunEvent => ({
  type: 'step-started',
  iteration,
  step: name as StepId,
  attempt: 1,
})

function step(name: string, value: Json, others: object = {}, iteration = 1): RunEvent[] {
  const finished = { iteration, step: name as StepId, attempt: 1, result: { value }, ...others }
  return [begin(name, iteration), { type: 'step-finished', ...finished }]
}

const called = (tool: string, ok: boolean): RunEvent => ({
  type: 'step-noted',
  iteration: 1,
  step: 'agent:maker#1' as StepId,
  note: { type: 'tool-called', tool, args: '{}', ok, durationMs: 500, outputBytes: 1 },
})

const prompt = { prompt: 'Fix it.\nSoon.', tokens: 1234, sections: [], cuts: [], tree: null }
const report = { status: 'done', text: 'I did.\nAll.', turns: 2, usage: { tokens: 40 } }
const found = {
  check: 'test',
  status: 'not-met',
  exitCode: 1,
  output: 'one\ntwo\n',
  durationMs: 300,
}
const evidence = { check: 'test', status: 'not-met', iteration: 1 }

const plain: readonly RunEvent[] = [
  start(1),
  ...step('prompt#1', { ...prompt, cuts: [{ section: 'progress', tokens: 2000, dropped: false }] }),
  begin('agent:maker#1'),
  called('read', true),
  called('run', true),
  called('run', false),
  ...step('agent:maker#1', report, {
    spent: { tokens: 40, costMicros: 20_000 },
    tree: tree('after'),
  }).slice(1),
  ...step('check:test#1', found, { evidence }),
  ...step('changes#1', ['a.js', 'b.js']),
  end(1),
]

describe('an iteration', () => {
  test('is shown completely: prompt, report, tools, checks, files and spending', () => {
    expect(render(plain)).toBe(
      `iteration 1 of fix (loop plain)
continues
12.0 s, 40 tokens, $0.02

prompt, 1,234 tokens, cut: progress by 2,000
  Fix it.
  Soon.

agent maker says done, 2 turns, 40 tokens, 4.0 s
  I did.
  All.

tools
  read: 1 call, 0.5 s
  run: 2 calls, 1 failed, 1.0 s

check test: not-met, exit 1, 0.3 s
  one
  two

files changed
  a.js
  b.js`,
    )
  })

  test('shows which checks are pending, and which failed before the run began', () => {
    const open = plain.slice(0, -1)
    const known: readonly RunCheck[] = [
      { check: 'test', status: 'not-met', base: 'fails' },
      { check: 'lint', status: 'pending', kind: 'command', base: 'fails' },
      { check: 'good', status: 'pending', kind: 'judge' },
    ]
    const shown = renderIteration(createStyle(false), view(open, 1, known))
    expect(shown).toContain('check test: not-met, exit 1, 0.3 s (also failed before the run)')
    expect(shown).toContain('check lint: pending (failed before the run)')
    expect(shown).toContain('check good: pending\n')
    // A check that did not run in a finished iteration was not pending there.
    expect(view(plain, 1, known).checks.map(({ check }) => check)).toEqual(['test'])
  })

  test('of any loop lists its steps with their results, shortened', () => {
    const text = render([
      start(1),
      ...step('plan#1', { items: ['x'.repeat(1000)] }),
      begin('b/fetch#1'),
      {
        type: 'step-failed',
        iteration: 1,
        step: 'b/fetch#1' as StepId,
        attempt: 2,
        fault: { code: 'timeout', message: 'too slow', retryable: false },
      },
      begin('wait#1'),
    ])
    expect(text).toContain('\nnot ended\n')
    expect(text).toMatch(/^ {2}plan#1 done, 1\.0 s: \{"items":\["x{200,300}…$/m)
    expect(text).toMatch(/^ {2}b\/fetch#1 failed, attempt 2, 1\.0 s: timeout: too slow$/m)
    expect(text).toMatch(/^ {2}wait#1 under-way$/m)
    expect(view([start(1), ...step('plan#1', 'x'.repeat(1000))]).steps).toMatchObject([
      { step: 'plan#1', result: 'x'.repeat(1000) },
    ])
  })

  test('that changed nothing says so; if only trees are known, they are named', () => {
    expect(view([start(1), ...step('a#1', 1)]).filesChanged).toEqual([])
    const changed = [start(1), ...step('a#1', 1, { tree: tree('after') })]
    expect(view(changed)).not.toHaveProperty('filesChanged')
    expect(render(changed)).toContain('from tree before\n  to tree   after')
  })

  test('cannot write control sequences to the terminal, in any of its parts', () => {
    const evil = 'ok\u001B[2J\u0007\rgone\u0085\tx'
    const text = render([
      { ...start(1) },
      ...step('prompt#1', { ...prompt, prompt: evil, cuts: [{ section: evil, tokens: 1 }] }),
      called(evil, false),
      ...step('agent:maker#1', { ...report, text: evil, status: evil }),
      ...step('check:test#1', { ...found, output: evil, status: evil, check: evil }, { evidence }),
      ...step('changes#1', [evil]),
      ...step('other#1', { [evil]: evil }),
      { type: 'warning', code: 'w', message: evil },
    ])
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(text).toContain('  ok\\x1b[2J\\x07\\rgone\\x85    x')
  })

  test('is recognized only by the shape of its results: malformed results are listed as plain steps', () => {
    const odd = [
      ...step('prompt#1', { prompt: 1, tokens: 'many', cuts: null }),
      ...step('agent:maker#1', { status: 'done' }),
      ...step('check:test#1', null, { evidence }),
      ...step('changes#1', [1, 2]),
    ]
    const { prompts, reports, checks, steps } = view([start(1), ...odd])
    expect([prompts, reports, checks]).toEqual([[], [], []])
    expect(steps.map(({ result }) => result)).toEqual([
      { prompt: 1, tokens: 'many', cuts: null },
      { status: 'done' },
      null,
      [1, 2],
    ])
  })
})

describe('with several iterations', () => {
  const three: readonly RunEvent[] = [
    start(1),
    ...step('a#1', 'first', { spent: { tokens: 5, costMicros: 0 } }),
    end(1),
    start(2),
    ...step('a#1', 'second', { spent: { tokens: 7, costMicros: 0 } }, 2),
    end(2),
    start(3),
  ]

  test('the last one with a step is shown by default, each with its own spending', () => {
    expect(view(three)).toMatchObject({ iteration: 2, spent: { tokens: 7 } })
    expect(view(three, 1)).toMatchObject({ iteration: 1, spent: { tokens: 5 } })
    expect(view(three, 3)).toMatchObject({ iteration: 3, steps: [] })
    expect(read(three, 4)).toBeUndefined()
    expect(read([start(1)])).toBeUndefined()
  })

  test('a resumed iteration continues with its steps', () => {
    const interrupted: RunEvent = {
      type: 'iteration-ended',
      iteration: 1,
      ending: { type: 'interrupted', reason: 'ctrl-c' },
    }
    const events = [start(1), ...step('a#1', 1), interrupted, again(1), ...step('b#1', 2)]
    const { entered, steps, ...rest } = view(events)
    expect({ entered, steps: steps.map((one) => one.step) }).toEqual({
      entered: 2,
      steps: ['a#1', 'b#1'],
    })
    expect(rest).not.toHaveProperty('ending')
  })

  test('a restarted iteration has only the steps since the restart', () => {
    const anew: RunEvent = { type: 'iteration-restarted', iteration: 1, reason: 'code changed' }
    const events = [start(1), ...step('a#1', 1), anew, ...step('b#1', 2)]
    expect(view(events)).toMatchObject({
      steps: [{ step: 'b#1' }],
      remarks: [expect.stringContaining('code changed')],
    })
  })

  test('an iteration that was rewound is marked until the run reaches it again', () => {
    const back: RunEvent = { type: 'run-rewound', toIteration: 1 }
    expect(render([...three, back], 2)).toContain(
      'undone: the run went back to an earlier checkpoint',
    )
    expect(view([...three, back], 1).undone).toBe(false)
    const anew = [...three, back, start(2), ...step('a#1', 'new', {}, 2)]
    expect(view(anew, 2)).toMatchObject({ undone: false, steps: [{ result: 'new' }] })
  })
})
