/** Runs that the daemon is to drive: which are at work, which wait, and for what. */

import { z } from 'zod'
import { published } from '../values.ts'

export type QueuePolicy = 'fifo' | 'newest-first' | 'priority'

/** A run that is driven, or that waits in the queue. */
export interface QueueEntry {
  /** The run's id and name. */
  readonly run: string
  readonly name: string
  readonly state: 'driven' | 'queued'
  /** Of those that wait: 1 is the next. */
  readonly position?: number
  /** Why it waits. One that waits for a person is driven, and has given its slot away. */
  readonly waitsFor?: 'slot' | 'workspace' | 'time' | 'person'
  /** The same for people, such as "waits for workspace /home/me/shop (brave-owls-jump)". */
  readonly why?: string
  /** The folder that was named. */
  readonly workspace?: string
  /** The folder that the run works in: its worktree, or the same. */
  readonly place?: string
  readonly priority: number
  readonly queuedAtMs: number
  /** When it is tried again, where it could not go on. */
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
