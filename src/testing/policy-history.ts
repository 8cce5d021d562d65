/** Past runs whose every number is known, for backtests of policies. */

import type { Store } from '../engine/index.ts'
import {
  defaultLimits,
  evolve,
  initialState,
  type Outcome,
  type RunEvent,
  type RunId,
  type RunState,
  type StepId,
} from '../loop/index.ts'
import { openLocalStore } from './open-local-store.ts'

export interface PastRun {
  readonly iterations: number
  readonly isCompleted: boolean
}

export interface PolicyHistory {
  readonly journal: Store
  readonly runsOf: readonly PastRun[]
  /** A limit of iterations that stops some of the runs. */
  readonly limit: number
  /** What each iteration used. */
  readonly tokensEach: number
  readonly costEach: number
  readonly msEach: number
  /** What that limit would have done. */
  readonly expected: {
    readonly runs: number
    readonly stopped: number
    readonly wronglyBlocked: number
    readonly saved: {
      readonly iterations: number
      readonly tokens: number
      readonly costMicros: number
      readonly activeMs: number
    }
  }
}

const limit = 10
const tokensEach = 1200
const costEach = 3500
const msEach = 2000

/** Every third run takes 25 iterations; every fifth of those, and every short run, completed. */
const pastRun = (index: number): PastRun =>
  index % 3 === 0
    ? { iterations: 25, isCompleted: index % 5 === 0 }
    : { iterations: 1 + (index % 10), isCompleted: true }

export async function makeHistory(count: number, path = ':memory:'): Promise<PolicyHistory> {
  const journal = openLocalStore({ path })
  const runsOf = Array.from({ length: count }, (_, index) => pastRun(index))
  for (const [index, run] of runsOf.entries()) await writePast(journal, index, run)
  const long = runsOf.filter(({ iterations }) => iterations > limit)
  const iterations = long.reduce((sum, run) => sum + run.iterations - limit, 0)
  return {
    journal,
    runsOf,
    limit,
    tokensEach,
    costEach,
    msEach,
    expected: {
      runs: count,
      stopped: long.length,
      wronglyBlocked: long.filter(({ isCompleted }) => isCompleted).length,
      saved: {
        iterations,
        tokens: iterations * tokensEach,
        costMicros: iterations * costEach,
        activeMs: iterations * msEach,
      },
    },
  }
}

async function writePast(journal: Store, index: number, past: PastRun): Promise<void> {
  const id = `0190a000-0000-7000-8000-${String(index).padStart(12, '0')}` as RunId
  const event: RunEvent = {
    type: 'run-created',
    eventVersion: 1,
    loop: 'past',
    codeDigest: 'digest',
    limits: defaultLimits,
  }
  let atMs = 1_000_000 + index
  await journal.createRun({
    id,
    name: `past-${index}`,
    loop: 'past',
    atMs,
    event,
    blobs: [],
    trees: [],
  })
  let state: RunState = evolve(initialState, { seq: 1, atMs, event })
  const lease = await journal.acquire(id, 'the past')
  const write = async (...events: readonly RunEvent[]): Promise<void> => {
    const firstSeq = state.seq + 1
    for (const one of events) state = evolve(state, { seq: state.seq + 1, atMs, event: one })
    const boundary = state.open === undefined ? state : undefined
    await journal.append(lease, { firstSeq, atMs, events, state, boundary, blobs: [], trees: [] })
  }
  await write({ type: 'run-started', owner: lease.owner, fence: lease.fence })
  for (let iteration = 1; iteration <= past.iterations; iteration++) {
    await write({ type: 'iteration-started', iteration })
    atMs += msEach
    await write(...iterationEvents(iteration, iteration === past.iterations && past.isCompleted))
  }
  await write({ type: 'run-ended', outcome: outcomeOf(past) })
  await journal.release(lease)
}

function iterationEvents(iteration: number, isLast: boolean): readonly RunEvent[] {
  const step = 'agent:maker#1' as StepId
  const called = { type: 'tool-called', tool: 'run', args: '{}', ok: true } as const
  const met = { condition: 'checks-pass', ends: 'completed' } as const
  return [
    { type: 'step-started', iteration, step, attempt: 1, kind: 'agent', role: 'maker' },
    {
      type: 'step-noted',
      iteration,
      step,
      note: { ...called, durationMs: 1, outputBytes: 10 },
    },
    {
      type: 'step-finished',
      iteration,
      step,
      attempt: 1,
      spent: { tokens: tokensEach, costMicros: costEach },
    },
    {
      type: 'iteration-ended',
      iteration,
      ending: isLast ? { type: 'complete', met } : { type: 'continue' },
    },
  ]
}

const outcomeOf = ({ isCompleted }: PastRun): Outcome =>
  isCompleted
    ? { type: 'completed', condition: 'checks-pass' }
    : { type: 'exhausted', limit: 'iterations', condition: 'limits.iterations' }
