/** The daemon's queue: which runs are active, which wait, and for what. */

import { z } from 'zod'
import { published } from '../values.ts'

export type QueuePolicy = 'fifo' | 'newest-first' | 'priority'

/** A run that is driven, or that waits in the queue. */
export interface QueueEntry {
  /** The run's id and name. */
  readonly run: string
  readonly name: string
  readonly state: 'driven' | 'queued'
  /** Position among the waiting runs: 1 is next. */
  readonly position?: number
  /** Why it waits. A run that waits for a person is active, but gave up its slot. */
  readonly waitsFor?: 'slot' | 'workspace' | 'time' | 'person'
  /** The same as text, such as "waits for workspace /home/me/shop (brave-owls-jump)". */
  readonly why?: string
  /** The requested folder. */
  readonly workspace?: string
  /** The folder that the run works in: its worktree, or the same. */
  readonly place?: string
  readonly priority: number
  readonly queuedAtMs: number
  /** When it is retried, if it could not continue. */
  readonly retryAtMs?: number
}

export const queueEntrySchema: z.ZodType<QueueEntry> = z
  .strictObject({
    run: z.string(),
    name: z.string(),
    state: z.enum(['driven', 'queued']),
    position: z.int().min(1).exactOptional(),
    waitsFor: z.enum(['slot', 'workspace', 'time', 'person']).exactOptional(),
    why: z.string().exactOptional(),
    workspace: z.string().exactOptional(),
    place: z.string().exactOptional(),
    priority: z.int(),
    queuedAtMs: z.int(),
    retryAtMs: z.int().exactOptional(),
  })
  .register(published, { id: 'QueueEntry' })
