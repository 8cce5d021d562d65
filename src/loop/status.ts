/**
 * The statuses of a run and the transitions between them, in one table.
 *
 *   pending ──▶ running ◀──▶ waiting          running, waiting ──▶ any end
 *                 │ ▲           │
 *                 ▼ │           ▼
 *             suspended, paused ◀──           pending, suspended, paused ──▶ cancelled, stopped
 *
 * A run whose process was killed stays `running` until another process takes it over: running ──▶ running.
 */

import type { OutcomeType } from './outcome.ts'

/** The status of a run, as it is listed. */
export type RunStatus = 'pending' | 'running' | 'waiting' | 'suspended' | 'paused' | OutcomeType

const ends = [
  'completed',
  'exhausted',
  'denied',
  'stuck',
  'stopped',
  'cancelled',
  'failed',
] as const

export const transitions: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  pending: ['running', 'paused', 'stopped', 'cancelled'],
  running: ['running', 'waiting', 'suspended', 'paused', ...ends],
  waiting: ['waiting', 'running', 'suspended', 'paused', ...ends],
  suspended: ['suspended', 'running', 'paused', 'stopped', 'cancelled'],
  paused: ['paused', 'running', 'suspended', 'stopped', 'cancelled'],
  completed: [],
  exhausted: [],
  denied: [],
  stuck: [],
  stopped: [],
  cancelled: [],
  failed: [],
}

export const runStatuses: readonly RunStatus[] = Object.keys(transitions).filter(isStatus)

function isStatus(name: string): name is RunStatus {
  return Object.hasOwn(transitions, name)
}

/** Whether a run with this status has ended. */
export const isEnd = (status: RunStatus): status is OutcomeType => transitions[status].length === 0

/** Status names of the legacy formats, mapped to ours. */
export const statusAliases: Readonly<Record<string, RunStatus>> = {
  // The legacy API.
  PENDING: 'pending',
  RUNNING: 'running',
  PAUSED: 'paused',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELED: 'cancelled',
  // Legacy lists of runs.
  Draft: 'pending',
  Pending: 'pending',
  Created: 'pending',
  Queued: 'pending',
  Running: 'running',
  Paused: 'paused',
  Rebasing: 'waiting',
  Blocked: 'waiting',
  Complete: 'completed',
  Completed: 'completed',
  Failed: 'failed',
  Stopped: 'stopped',
  Cancelled: 'cancelled',
  // Phases and results of the legacy loop.
  initializing: 'pending',
  evaluating_conditions: 'running',
  saving_checkpoint: 'running',
  completing: 'running',
  iteration_limit: 'exhausted',
  timeout: 'exhausted',
  error: 'failed',
}

/** The status name that clients of the legacy API expect. */
export function documentedStatus(status: RunStatus): string {
  switch (status) {
    case 'pending':
      return 'PENDING'
    case 'running':
    case 'waiting':
    case 'suspended':
      return 'RUNNING'
    case 'paused':
      return 'PAUSED'
    case 'completed':
      return 'COMPLETED'
    case 'stopped':
    case 'cancelled':
      return 'CANCELED'
    case 'exhausted':
    case 'denied':
    case 'stuck':
    case 'failed':
      return 'FAILED'
  }
}

/** The statuses that a name stands for, ours or a legacy one; undefined if the name is unknown. */
export function findStatuses(name: string): readonly RunStatus[] | undefined {
  const own = runStatuses.filter((status) => status === name)
  if (own.length > 0) return own
  const documented = runStatuses.filter((status) => documentedStatus(status) === name)
  if (documented.length > 0) return documented
  const aliased = Object.hasOwn(statusAliases, name) ? statusAliases[name] : undefined
  return aliased === undefined ? undefined : [aliased]
}
