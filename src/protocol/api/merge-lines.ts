/** The merge queue: what waits to be merged into which branch, and what became of the newest requests. */

import { z } from 'zod'
import type { RunId } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { id, listOf, ordinal, published } from '../values.ts'

export interface QueuedMerge {
  readonly run: { readonly id: RunId; readonly name: string }
  /** The branch with the work. */
  readonly branch: string
  readonly strategy: 'squash' | 'merge' | 'fast-forward'
  readonly state: 'queued' | 'merging' | 'merged' | 'conflict' | 'failed'
  readonly queuedAtMs: number
  /** 1: it is next. Absent: it has ended. */
  readonly position?: number
  /** Why it was not merged. */
  readonly reason?: string
  /** Files that both sides changed. */
  readonly files?: readonly string[]
  /** The commit on the target. */
  readonly commit?: string
  /** Of the merged files, if they differ from those of the run. */
  readonly certificate?: string
}

/** The requests for one branch of a repository. */
export interface MergeLineEntry {
  readonly repository: string
  readonly target: string
  /** A process works through it now. */
  readonly isHeld: boolean
  /** Those that wait first, in their order; then the newest that ended. */
  readonly requests: readonly QueuedMerge[]
}

export interface MergeLines {
  readonly items: readonly MergeLineEntry[]
}

const text = z.string()

const requestSchema: z.ZodType<QueuedMerge> = exactly<QueuedMerge>()(
  z.strictObject({
    run: z.strictObject({ id: id<RunId>(), name: text }),
    branch: text,
    strategy: z.enum(['squash', 'merge', 'fast-forward']),
    state: z.enum(['queued', 'merging', 'merged', 'conflict', 'failed']),
    queuedAtMs: z.number(),
    position: ordinal.exactOptional(),
    reason: text.exactOptional(),
    files: listOf(text).exactOptional(),
    commit: text.exactOptional(),
    certificate: text.exactOptional(),
  }),
)

export const mergeLinesSchema: z.ZodType<MergeLines> = exactly<MergeLines>()(
  z.strictObject({
    items: listOf(
      z.strictObject({
        repository: text,
        target: text,
        isHeld: z.boolean(),
        requests: listOf(requestSchema),
      }),
    ),
  }),
).register(published, { id: 'MergeLines' })
