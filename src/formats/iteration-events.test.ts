import { describe, expect, test } from 'vitest'
import {
  defaultLimits,
  evolve,
  initialState,
  type Outcome,
  type RecordedEvent,
  type RunState,
} from '../loop/index.ts'
import type { LoopOutcome, LoopPhase } from '../protocol/checkpoint/entities.ts'
import { iterationEventSchema, loopResultSchema } from '../protocol/checkpoint/entity-schemas.ts'
import { recordedEventSchema } from '../protocol/events/event-schema.ts'
import type { CheckpointSource } from './checkpoint-source.ts'
import { eventTypesTable, toEventDrafts } from './event-drafts.ts'
import { advanceView, emptyView } from './event-view.ts'
import { toIterationEvents } from './iteration-events.ts'
import { toLoopResult } from './loop-result.ts'

const fault = { code: 'step-failed', message: 'boom', retryable: false }
const step = { step: 'check:tests#1', attempt: 1 }
const met = { check: 'tests', status: 'met' }

/** A run with every event that the legacy format has a counterpart for. */
const story: readonly object[] = [
  {
    type: 'run-created',
    eventVersion: 1,
    loop: 'plain',
    codeDigest: 'c',
    limits: defaultLimits,
    tree: 'A',
  },
  { type: 'run-started', owner: 'me', fence: 1 },
  { type: 'iteration-started', iteration: 1, tree: 'A' },
  { type: 'step-started', iteration: 1, ...step, kind: 'check' },
  {
    type: 'step-finished',
    iteration: 1,
    ...step,
    result: { value: { output: '', durationMs: 7 } },
    evidence: { ...met, iteration: 1, tree: 'A' },
  },
  { type: 'iteration-ended', iteration: 1, ending: { type: 'interrupted', reason: 'paused' } },
  { type: 'iteration-started', iteration: 1, again: true },
  {
    type: 'iteration-ended',
    iteration: 1,
    ending: { type: 'continue' },
    progress: { set: { n: 1 } },
  },
  { type: 'iteration-started', iteration: 2, tree: 'A' },
  { type: 'step-finished', iteration: 2, step: 'edit#1', attempt: 1, tree: 'B' },
  {
    type: 'step-failed',
    iteration: 2,
    step: 'call#1',
    attempt: 1,
    fault: { ...fault, limit: 'cost' },
  },
  { type: 'warning', code: 'near-limit', message: '80 %' },
  { type: 'iteration-ended', iteration: 2, ending: { type: 'error', fault, recoverable: true } },
  {
    type: 'run-ended',
    outcome: { type: 'exhausted', limit: 'iterations', condition: 'limits.iterations' },
  },
]

const record = (events: readonly object[]): RecordedEvent[] =>
  events.map((event, index) =>
    recordedEventSchema.parse({
      run: 'r1',
      seq: index + 1,
      position: index + 1,
      atMs: (index + 1) * 1000,
      event,
    }),
  )
const fold = (events: readonly RecordedEvent[]): RunState =>
  events.reduce<RunState>((state, event) => evolve(state, event), initialState)

function createSource(events: readonly RecordedEvent[]): CheckpointSource {
  const [first] = events
  if (first === undefined) throw new Error('a story has events')
  const run = { id: first.run, name: 'calm-otter' }
  return { run, state: fold(events), events, input: undefined, checks: ['tests'] }
}
const ending = (outcome: Outcome): CheckpointSource =>
  createSource(record([...story.slice(0, -1), { type: 'run-ended', outcome }]))

describe('the events of a run, as legacy events', () => {
  const converted = toIterationEvents(createSource(record(story)))

  test('have the types, iterations and phases of that format', () => {
    const lines = converted.map(
      (event) =>
        `${event.iteration} ${event.event_type} ${event.phase} ${event.exit_conditions_met}/1`,
    )
    expect(lines).toEqual([
      '0 loop.started initializing 0/1',
      '0 loop.iteration.started running 0/1',
      '0 loop.exit_condition.evaluated evaluating_conditions 1/1',
      '0 loop.iteration.started running 1/1',
      '0 loop.iteration.completed running 1/1',
      '0 loop.checkpoint.saved saving_checkpoint 1/1',
      '1 loop.iteration.started running 1/1',
      '1 loop.policy.violation running 0/1',
      '1 loop.policy.warning running 0/1',
      '1 loop.error running 0/1',
      '1 loop.iteration.completed running 0/1',
      '1 loop.checkpoint.saved saving_checkpoint 0/1',
      '2 loop.policy.violation completed 0/1',
    ])
  })

  test('tell how much of a limit is used and left before it is reached', () => {
    const event = {
      type: 'limit-warned',
      limit: 'iterations',
      current: 80,
      max: 100,
      remaining: 20,
      threshold: 0.8,
    } as const
    const recorded = recordedEventSchema.parse({ run: 'r', seq: 1, position: 1, atMs: 1, event })
    const [draft] = toEventDrafts(recorded, emptyView, initialState)
    expect(draft).toMatchObject({
      type: 'loop.policy.warning',
      details: { limit: 'iterations', current: 80, max: 100, remaining: 20, threshold: 0.8 },
    })
  })

  test('match its schema', () => {
    for (const event of converted)
      expect(iterationEventSchema.safeParse(event).error).toBeUndefined()
  })

  test('include durations', () => {
    const durations = converted
      .filter((event) => event.duration_ms !== null)
      .map((event) => [event.event_type, event.duration_ms])
    expect(durations).toEqual([
      ['loop.exit_condition.evaluated', 7],
      ['loop.iteration.completed', 5000],
      ['loop.iteration.completed', 4000],
      ['loop.policy.violation', 13_000],
    ])
  })

  test('have only types that the published table lists', () => {
    const types = new Map(record(story).map(({ seq, event }) => [seq, event.type]))
    for (const { event_type, details } of converted) {
      const ours = types.get(Number(details['seq']))
      expect(ours === undefined ? [] : eventTypesTable[ours]).toContain(event_type)
    }
  })

  test('exclude events after the state', () => {
    const source = createSource(record(story))
    expect(toIterationEvents({ ...source, state: { ...source.state, seq: 3 } })).toHaveLength(2)
  })

  test('I1, I2: the newest part alone gives the same events, and never claims more', () => {
    const events = record(story)
    for (let from = 0; from < events.length; from++) {
      const tail = toIterationEvents({ ...createSource(events), events: events.slice(from) })
      const whole = converted.slice(converted.length - tail.length)
      const claims = tail.map((event, index) => [event, whole[index]] as const)
      const tooHigh = claims.filter(
        ([part, all]) => part.exit_conditions_met > (all?.exit_conditions_met ?? 0),
      )
      expect(tooHigh).toEqual([])
      expect(tail.map((event) => event.iteration)).toEqual(whole.map((event) => event.iteration))
    }
  })
})

test('the view agrees with the state after every event', () => {
  const rewound = { type: 'run-rewound', toIteration: 1, tree: 'A' }
  const changed = { type: 'workspace-changed', why: 'changed-outside', found: 'C', tree: 'C' }
  const events = record([...story.slice(0, -1), rewound, changed])
  let view = emptyView
  let state: RunState = initialState
  for (const event of events) {
    view = advanceView(view, event)
    state = evolve(state, event)
    const { iteration, tree, evidence } = state
    expect(view).toMatchObject({ iteration, tree, evidence })
  }
})

describe('the result of a run', () => {
  const by = { by: 'ann', reason: 'enough' }
  const table: readonly [Outcome, LoopOutcome, LoopPhase][] = [
    [{ type: 'completed', condition: 'checks-pass' }, 'completed', 'completed'],
    [{ type: 'exhausted', limit: 'iterations', condition: 'x' }, 'iteration_limit', 'completed'],
    [{ type: 'exhausted', limit: 'cost', condition: 'x' }, 'iteration_limit', 'completed'],
    [{ type: 'exhausted', limit: 'tokens', condition: 'x' }, 'iteration_limit', 'completed'],
    [{ type: 'exhausted', limit: 'time', condition: 'x' }, 'timeout', 'completed'],
    [{ type: 'exhausted', limit: 'deadline', condition: 'x' }, 'timeout', 'completed'],
    [{ type: 'stuck', condition: 'no-progress', detail: 'x' }, 'error', 'error'],
    [{ type: 'stopped', ...by }, 'cancelled', 'completed'],
    [{ type: 'cancelled', ...by }, 'cancelled', 'completed'],
    [{ type: 'failed', fault }, 'error', 'error'],
  ]

  test.each(table)('of %j is %s, in the phase %s', (outcome, expected, phase) => {
    const source = ending(outcome)
    const result = toLoopResult(source)
    expect(result).toMatchObject({
      outcome: expected,
      iterations_completed: 2,
      duration_seconds: 13,
      last_checkpoint_id: 'r1:13',
      final_state: { n: 1 },
    })
    expect(loopResultSchema.safeParse(result).error).toBeUndefined()
    expect(result?.error_message !== null).toBe(expected === 'error')
    expect(result?.policy_violation_details !== null).toBe(expected === 'iteration_limit')
    expect(toIterationEvents(source).at(-1)?.phase).toBe(phase)
  })

  test('is undefined before the end', () => {
    expect(toLoopResult(createSource(record(story.slice(0, -1))))).toBeUndefined()
  })
})
