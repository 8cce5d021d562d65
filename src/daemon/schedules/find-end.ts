/** How the run of a tick ended, and what it spent. */

import { loadRun, type Store } from '../../engine/index.ts'
import {
  defined,
  describeOutcome,
  inOneLine,
  isEnd,
  isLoopError,
  type RunId,
} from '../../loop/index.ts'
import { tickAfter } from './rules/events.ts'
import type { RunEnd } from './rules/outcome.ts'
import type { EndedRun } from './rules/schedule.ts'
import type { EndedRuns } from './run-ends.ts'

/** Undefined: it has not ended. */
export async function findEnd(journal: Store, run: string): Promise<RunEnd | undefined> {
  try {
    const { id, status } = await journal.findRun(run)
    if (!isEnd(status)) return undefined
    const { state } = await loadRun(journal, id)
    const { outcome, spent } = state
    const reason = outcome === undefined ? undefined : inOneLine(describeOutcome(outcome))
    return {
      outcome: status,
      tokens: spent.tokens,
      costMicros: spent.costMicros,
      ...(status === 'completed' ? {} : defined({ reason })),
    }
  } catch (error) {
    if (isLoopError(error, 'unknown-run')) return { outcome: 'removed' }
    throw error
  }
}

/**
 * Without a position: none, and where the journal is now. Ends after the position up to which it was read are left to
 * the next time, so that no end of another run is skipped that came before them.
 */
export async function findEndedRuns(
  journal: Store,
  afterPosition: number | undefined,
): Promise<EndedRuns> {
  if (afterPosition === undefined) return { position: await journal.lastPosition(), runs: [] }
  const { position, runs } = await journal.changedRuns(afterPosition)
  const found: EndedRun[] = []
  for (const run of runs) {
    const ended = await readEnd(journal, run)
    if (ended === undefined || ended.position > position) continue
    if (ended.position > afterPosition) found.push(ended)
  }
  return { position, runs: found.toSorted((one, other) => one.position - other.position) }
}

async function readEnd(journal: Store, run: RunId): Promise<EndedRun | undefined> {
  try {
    const { loop, status } = await journal.findRun(run)
    if (!isEnd(status)) return undefined
    const [end] = await journal.read(run, { types: ['run-ended'], limit: 1 })
    if (end === undefined) return undefined
    const [created] = await journal.read(run, { types: ['run-created'], limit: 1 })
    const started = created?.event.type === 'run-created' ? created.event.schedule : undefined
    const { position } = end
    return { run, loop, outcome: status, position, tick: tickAfter(run, started?.tick) }
  } catch (error) {
    if (isLoopError(error, 'unknown-run')) return undefined
    throw error
  }
}
