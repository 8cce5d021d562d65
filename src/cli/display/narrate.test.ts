import { expect, test } from 'vitest'
import {
  type BlobId,
  evolve,
  initialState,
  type Json,
  type RecordedEvent,
  type RunEvent,
  type RunId,
  type RunState,
  type SandboxSummary,
  type StepId,
  type StepNote,
} from '../../loop/index.ts'
import { createStyle } from '../terminal.ts'
import { renderClock } from './amounts.ts'
import { createNarrator } from './narrate.ts'
import { fitStyled, renderStatusLine } from './status-line.ts'

const step = (text: string): StepId => JSON.parse(JSON.stringify(text))
const run: RunId = JSON.parse('"r"')

function tell(events: readonly RunEvent[]): { lines: string[]; state: RunState } {
  const narrator = createNarrator(createStyle(false))
  let state: RunState = initialState
  const lines = events.flatMap((event, index) => {
    const recorded: RecordedEvent = {
      run,
      seq: index + 1,
      position: index + 1,
      atMs: index * 1000,
      event,
    }
    state = evolve(state, recorded)
    return narrator.tell(recorded, state)
  })
  return { lines, state }
}

const at = { iteration: 1, attempt: 1 }

test('an iteration is narrated in plain sentences', () => {
  const { lines } = tell([
    { type: 'iteration-started', iteration: 1 },
    { type: 'step-started', ...at, step: step('prompt#1') },
    {
      type: 'step-finished',
      ...at,
      step: step('prompt#1'),
      result: { value: { prompt: 'p', tokens: 1234, cuts: [{ section: 'progress', tokens: 99 }] } },
    },
    { type: 'step-started', ...at, step: step('agent:maker#1'), kind: 'agent' },
    {
      type: 'step-noted',
      iteration: 1,
      step: step('agent:maker#1'),
      note: {
        type: 'tool-called',
        tool: 'edit',
        args: '{"path":"a.js"}',
        ok: false,
        error: 'not-read',
        durationMs: 3,
        outputBytes: 10,
      },
    },
    {
      type: 'step-finished',
      ...at,
      step: step('agent:maker#1'),
      result: {
        value: {
          status: 'done',
          text: 'All tests\npass now.',
          turns: 4,
          usage: { tokens: 900, costMicros: 1 },
        },
      },
    },
    { type: 'step-started', ...at, step: step('check:test#1'), kind: 'check' },
    {
      type: 'step-finished',
      ...at,
      step: step('check:test#1'),
      result: { value: { status: 'not-met', exitCode: 1, output: 'one\ntwo\n\u001B[31mthree\n' } },
      evidence: { check: 'test', status: 'not-met', iteration: 1 },
    },
  ])
  expect(lines).toEqual([
    '  iteration 1 of 50',
    '    prompt         1,234 tokens, cut: progress by 99 1.0 s',
    '    maker          edit a.js not-read',
    '    maker          says done (4 turns, 900 tokens, 2.0 s): All tests pass now.',
    '    check test     ✗ not-met, exit 1 1.0 s',
    '                   one',
    '                   two',
    '                   three',
  ])
})

test('the last output of an agent is not repeated as its report', () => {
  const report = { status: 'done', turns: 1, usage: { tokens: 0, costMicros: 0 } }
  const finished = (text: string): RunEvent => ({
    type: 'step-finished',
    ...at,
    step: step('agent:maker#1'),
    result: { value: { ...report, text } },
  })
  const said: RunEvent = {
    type: 'step-noted',
    iteration: 1,
    step: step('agent:maker#1'),
    note: { type: 'said', text: 'All done.' },
  }
  expect(tell([said, finished('All done.\n')]).lines).toEqual([
    '    maker          All done.',
    '    maker          says done (1 turn, 0.0 s)',
  ])
  expect(tell([said, finished('Other words')]).lines[1]).toContain('Other words')
})

test('each consultant has a name, and a judge has its reasons', () => {
  const { lines } = tell([
    {
      type: 'step-noted',
      iteration: 1,
      step: step('certify:checks-pass#1'),
      role: 'consult:security',
      note: { type: 'said', text: 'hm' },
    },
    {
      type: 'step-finished',
      ...at,
      step: step('check:good#1'),
      result: {
        value: {
          kind: 'judge',
          status: 'not-met',
          output: 'fail\n- a.js:2: sum is not documented',
        },
      },
      evidence: { check: 'good', status: 'not-met', iteration: 1 },
    },
  ])
  expect(lines).toEqual([
    '    security       hm',
    '    check good     ✗ not-met 0.0 s',
    '                   fail',
    '                   - a.js:2: sum is not documented',
  ])
})

test('the end shows the result and what it cost', () => {
  const { lines } = tell([
    { type: 'run-started', owner: 'me', fence: 1 },
    { type: 'run-ended', outcome: { type: 'exhausted', limit: 'cost', condition: 'budget.cost' } },
  ])
  expect(lines).toEqual(['✗ exhausted: cost (budget.cost)  0 iterations, 1.0 s'])
})

test('the first lines name the sandbox of a run, with a warning if there is none', () => {
  const started = (sandbox: SandboxSummary): RunEvent => ({
    type: 'run-started',
    owner: 'me',
    fence: 1,
    sandbox,
  })
  const { lines } = tell([
    started({ tier: 'strong', limits: 'cgroup', attended: false }),
    started({ tier: 'basic', limits: 'none', attended: true }),
    started({ tier: 'none', limits: 'none', attended: true }),
  ])
  expect(lines).toEqual([
    '  sandbox: strong, limits by cgroup',
    '  warning: sandbox: basic, no limits, attended',
    '  warning: no sandbox; the agent can read your files and use the network',
  ])
})

test('waiting for a provider is printed once, and exchanges have no lines', () => {
  const noted = (note: StepNote): RunEvent => ({
    type: 'step-noted',
    iteration: 1,
    step: step('agent:maker#1'),
    note,
  })
  const untilMs = new Date(2026, 10, 15, 14, 5, 33).getTime()
  const waiting = noted({ type: 'waiting', untilMs, message: 'anthropic takes no requests.' })
  const blob: BlobId = JSON.parse('"b"')
  const { lines } = tell([
    waiting,
    waiting,
    noted({
      type: 'exchanged',
      attempt: 1,
      ordinal: 1,
      provider: 'anthropic',
      model: 'm',
      ended: 'complete',
      spent: { tokens: 1, costMicros: 1 },
      isEstimated: false,
      durationMs: 1,
      blob,
      bytes: 1,
    }),
    noted({ type: 'waiting', untilMs: untilMs + 60_000, message: 'again' }),
  ])
  expect(lines).toEqual([
    '    maker          waiting until 2026-11-15 14:05:33: anthropic takes no requests.',
    '    maker          waiting until 2026-11-15 14:06:33: again',
  ])
  expect(renderClock(untilMs, untilMs - 60_000)).toBe('14:05:33')
})

test('a line with colors is cut by its visible width, and its colors are reset', () => {
  const red = createStyle(true).red
  expect(fitStyled(`ab${red('cdef')}gh`, 20)).toBe(`ab${red('cdef')}gh`)
  expect(fitStyled(`ab${red('cdef')}gh`, 6)).toBe('ab\u001B[31mcd…\u001B[0m')
})

test('the status line is never wider than the terminal', () => {
  const { state } = tell([{ type: 'iteration-started', iteration: 3 }])
  const doing = { what: 'a very long name of a step '.repeat(10), sinceMs: 0 }
  expect(renderStatusLine(state, doing, 5000, 60).length).toBeLessThan(60)
  expect(renderStatusLine(state, undefined, 0, 200)).toContain('3/50')
})

test('foreign text never reaches the terminal unescaped, wherever it appears', () => {
  const clear = '\u001b[2J'
  const done = (value: Json, name: string): RunEvent => ({
    type: 'step-finished',
    ...at,
    step: step(name),
    result: { value },
  })
  const { lines } = tell([
    {
      type: 'step-noted',
      iteration: 1,
      step: step('agent:maker#1'),
      note: {
        type: 'tool-called',
        tool: clear,
        args: clear,
        ok: false,
        error: clear,
        durationMs: 3,
        outputBytes: 10,
      },
    },
    done({ status: clear, text: clear, turns: 1, usage: { tokens: 1 } }, 'agent:maker#1'),
    done({ tokens: 1, cuts: [{ section: clear, tokens: 1 }] }, 'prompt#1'),
    done([clear], 'changes#1'),
    done({ status: clear, text: clear, turns: 1, usage: {} }, 'like-a-report#1'),
  ])
  expect(lines).toHaveLength(5)
  expect(lines.join('\n')).not.toContain('\u001b')
})

test('a diff in a question keeps its tabs, and escapes everything else', () => {
  const text = 'Approve?\n\n+\tif (a) {\u001B[31m'
  const { lines } = tell([
    { type: 'iteration-started', iteration: 1 },
    {
      type: 'step-started',
      ...at,
      step: step('approve#1'),
      kind: 'ask',
      question: { text, default: 'no' },
    },
  ])
  expect(lines.join('\n')).toContain('      +\tif (a) {\\x1b[31m')
})
