/**
 * Chooses which runs are driven now, and why the others wait. Pure: the same queue and time give the same
 * choice.
 *
 * C1. Never more running runs than the limits allow. A run that waits for a person frees its slot, and its
 *     workspace too if it works in a separate worktree.
 * C2. Two runs never work in the same folder, whatever the limits are.
 * C3. Priorities do not starve runs: one minute of waiting counts as much as one point of priority. So a run
 *     of priority p queued at t starts before all runs queued after t + (100 - p) minutes.
 */

import type { RunId } from '../../loop/index.ts'
import type { QueuePolicy } from '../../protocol/api/index.ts'

export interface Queued {
  readonly run: RunId
  readonly name: string
  /** The folder that the user named. */
  readonly workspace?: string
  /** The folder that the run works in; differs from `workspace` for a worktree. */
  readonly place?: string
  readonly priority: number
  readonly queuedAtMs: number
  /** Not before this moment. */
  readonly retryAtMs?: number
}

export interface Driven extends Pick<Queued, 'run' | 'name' | 'workspace' | 'place'> {
  /** It waits for the answer of a person. */
  readonly asks: boolean
}

export interface Limits {
  readonly runs: number
  readonly runsPerWorkspace: number
}

/** A run that waits, and the run that it waits for, if any. */
export interface Waits {
  readonly run: RunId
  readonly waitsFor: 'slot' | 'workspace' | 'time'
  readonly behind?: string
}

export interface Choice {
  readonly start: readonly RunId[]
  /** In the order in which they will start. */
  readonly waits: readonly Waits[]
}

export const ageingMs = 60_000

export function choose(
  queue: readonly Queued[],
  driven: readonly Driven[],
  limits: Limits,
  policy: QueuePolicy,
  nowMs: number,
): Choice {
  const start: RunId[] = []
  const waits: Waits[] = []
  const working: Pick<Queued, 'name' | 'workspace' | 'place'>[] = driven.filter(
    ({ asks, workspace, place }) => !asks || (workspace !== undefined && workspace === place),
  )
  let slots = limits.runs - driven.filter(({ asks }) => !asks).length
  const due = queue.filter((one) => (one.retryAtMs ?? 0) <= nowMs)
  for (const one of due.toSorted(inOrderOf(policy))) {
    const { run } = one
    const rival = findRival(one, working, limits.runsPerWorkspace)
    if (slots <= 0) waits.push({ run, waitsFor: 'slot' })
    else if (rival !== undefined) waits.push({ run, waitsFor: 'workspace', behind: rival.name })
    else {
      start.push(run)
      working.push(one)
      slots--
    }
  }
  const later = queue.filter((one) => (one.retryAtMs ?? 0) > nowMs)
  for (const { run } of later.toSorted((a, b) => (a.retryAtMs ?? 0) - (b.retryAtMs ?? 0))) {
    waits.push({ run, waitsFor: 'time' })
  }
  return { start, waits }
}

/** The running run that this one has to wait for. */
function findRival<One extends Pick<Queued, 'workspace' | 'place'>>(
  { workspace, place }: Pick<Queued, 'workspace' | 'place'>,
  working: readonly One[],
  max: number,
): One | undefined {
  const inPlace = place === undefined ? undefined : working.find((one) => one.place === place)
  if (inPlace !== undefined || workspace === undefined) return inPlace
  const there = working.filter((one) => one.workspace === workspace)
  return there.length >= max ? there[0] : undefined
}

type Order = (a: Queued, b: Queued) => number

function inOrderOf(policy: QueuePolicy): Order {
  const byAge: Order = (a, b) => a.queuedAtMs - b.queuedAtMs || (a.run < b.run ? -1 : 1)
  switch (policy) {
    case 'fifo':
      return byAge
    case 'newest-first':
      return (a, b) => byAge(b, a)
    case 'priority':
      return (a, b) => rank(b) - rank(a) || byAge(a, b)
  }
}

/** All waiting runs age equally, so only the time of arrival matters. */
const rank = ({ priority, queuedAtMs }: Queued): number => priority * ageingMs - queuedAtMs
