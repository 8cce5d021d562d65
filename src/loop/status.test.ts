import { describe, expect, test } from 'vitest'
import { describeOutcome, type Outcome } from './outcome.ts'
import {
  documentedStatus,
  findStatuses,
  isEnd,
  type RunStatus,
  statusAliases,
  transitions,
} from './status.ts'

const isStatus = (name: string): name is RunStatus => Object.hasOwn(transitions, name)
const statuses = Object.keys(transitions).filter(isStatus)

/** A status name of a source document: an alias, or one of ours. */
const understood = (name: string): boolean =>
  isStatus(name) || isStatus(statusAliases[name] ?? 'unknown')

describe('every status of a source document has an equivalent', () => {
  test.each([
    ['002', 'PENDING RUNNING PAUSED COMPLETED FAILED CANCELED'],
    ['000, of a loop', 'Draft Pending Running Paused Rebasing Blocked Complete Failed Stopped'],
    ['000, of an execution', 'Created Queued Running Paused Completed Failed Cancelled Blocked'],
    ['001, of a phase', 'initializing running evaluating_conditions saving_checkpoint completing'],
    ['001, of an outcome', 'completed iteration_limit error cancelled timeout'],
  ])('document %s', (_document, names) => {
    expect(names.split(' ').filter((name) => !understood(name))).toEqual([])
  })

  test('each alias is a status, and no alias hides one', () => {
    expect(Object.values(statusAliases).filter((status) => !isStatus(status))).toEqual([])
    expect(Object.keys(statusAliases).filter(isStatus)).toEqual([])
  })

  test('each status has a name that clients of the legacy API know', () => {
    const known = ['PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELED']
    expect(statuses.map(documentedStatus).filter((name) => !known.includes(name))).toEqual([])
    expect(new Set(statuses.map(documentedStatus))).toEqual(new Set(known))
  })

  test('a name of the legacy API survives a round trip', () => {
    for (const name of ['PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELED']) {
      expect(documentedStatus(statusAliases[name] ?? 'pending')).toBe(name)
    }
  })
})

describe('the table of transitions', () => {
  const ends = statuses.filter(isEnd)

  test('has every outcome as a final status, without transitions from it', () => {
    expect(ends).toEqual([
      'completed',
      'exhausted',
      'denied',
      'stuck',
      'stopped',
      'cancelled',
      'failed',
    ])
    for (const end of ends) expect(transitions[end]).toEqual([])
  })

  test('allows to cancel every run, and reaches every status from the first', () => {
    for (const status of statuses.filter((one) => !isEnd(one))) {
      expect(transitions[status]).toContain('cancelled')
    }
    const reached = new Set<RunStatus>(['pending'])
    for (const status of reached) for (const next of transitions[status]) reached.add(next)
    expect(reached).toEqual(new Set(statuses))
  })
})

test.each([
  ['waiting', ['waiting']],
  ['RUNNING', ['running', 'waiting', 'suspended']],
  ['FAILED', ['exhausted', 'denied', 'stuck', 'failed']],
  ['CANCELED', ['stopped', 'cancelled']],
  ['iteration_limit', ['exhausted']],
  ['done', undefined],
  ['toString', undefined],
])('%s means %j', (name, meant) => expect(findStatuses(name)).toEqual(meant))

test.each<[Outcome, string]>([
  [{ type: 'completed', condition: 'tests pass' }, 'completed: tests pass'],
  [{ type: 'exhausted', limit: 'cost', condition: 'limits.cost' }, 'exhausted: cost (limits.cost)'],
  [{ type: 'stuck', condition: 'no-progress', detail: '3 times' }, 'stuck: no-progress (3 times)'],
  [{ type: 'stopped', by: 'ada', reason: 'enough' }, 'stopped by ada: enough'],
  [{ type: 'cancelled', by: 'ada', reason: 'wrong' }, 'cancelled by ada: wrong'],
  [
    { type: 'failed', fault: { code: 'bug', message: 'x is not a function', retryable: false } },
    'failed: bug: x is not a function',
  ],
])('an outcome is one line that names its condition: %j', (outcome, line) => {
  expect(describeOutcome(outcome)).toBe(line)
})
