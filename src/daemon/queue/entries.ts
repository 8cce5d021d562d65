/** The queue for users: running runs, queued runs in order, and what they wait for. */

import type { QueueRow } from '../../engine/index.ts'
import { defined, type RunId } from '../../loop/index.ts'
import type { QueueEntry } from '../../protocol/api/index.ts'
import type { Choice, Waits } from './choose.ts'
import type { Item } from './queue-item.ts'

export function entriesOf(
  items: ReadonlyMap<RunId, Item>,
  { start, waits }: Choice,
  slots: number,
): readonly QueueEntry[] {
  const driven = [...items.values()].filter(({ drive }) => drive !== undefined)
  // Runs that are about to start wait for nothing.
  const next: readonly (Pick<Waits, 'run'> & Partial<Waits>)[] = [
    ...start.map((run) => ({ run })),
    ...waits,
  ]
  return [
    ...driven.map(({ row, drive }) => ({
      ...entryOf(row),
      state: 'driven' as const,
      ...(drive?.asks === true ? asking : {}),
    })),
    ...next.flatMap((one, index) => {
      const row = items.get(one.run)?.row
      if (row === undefined) return []
      const { waitsFor } = one
      const waiting = waitsFor === undefined ? {} : { waitsFor, why: why(one, row, slots) }
      return [{ ...entryOf(row), state: 'queued' as const, position: index + 1, ...waiting }]
    }),
  ]
}

/** A run that asks a question has freed its slot. */
const asking = { waitsFor: 'person', why: 'waiting for an answer: loopctl inbox' } as const

function why({ waitsFor, behind }: Partial<Waits>, row: QueueRow, slots: number): string {
  switch (waitsFor) {
    case 'workspace':
      return `waiting for workspace ${row.workspace ?? row.place} (${behind})`
    case 'time':
      return row.why ?? 'it could not continue'
    default:
      return `waiting for a slot: ${slots} run${slots === 1 ? ' is' : 's are'} running`
  }
}

const entryOf = (row: QueueRow): Omit<QueueEntry, 'state'> => ({
  run: row.run,
  name: row.name,
  priority: row.priority,
  queuedAtMs: row.queuedAtMs,
  ...defined({ workspace: row.workspace, place: row.place, retryAtMs: row.retryAtMs }),
})
