/** What the methods of a store are made of. */

import type { Database } from './database.ts'
import type { Decisions } from './decisions.ts'
import type { EventTable } from './event-table.ts'
import type { GroupCommit } from './group-commit.ts'
import type { Leases, Moment } from './leases.ts'
import type { MergeTable } from './merges/merge-table.ts'
import type { QueueTable } from './queue-table.ts'
import type { RunTable } from './run-table.ts'
import type { ScheduleTable } from './schedule-table.ts'
import type { Watch } from './watch.ts'
import type { WriteTurns } from './write-turns.ts'

export interface StoreParts {
  readonly database: Database
  readonly now: () => Moment
  readonly watch: Watch
  readonly leases: Leases
  readonly runs: RunTable
  readonly decisions: Decisions
  readonly turns: WriteTurns
  readonly group: GroupCommit
  reading<T>(work: () => T): Promise<T>
  readonly events: EventTable
  readonly queue: QueueTable
  readonly merges: MergeTable
  readonly scheduled: ScheduleTable
}
