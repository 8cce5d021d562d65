/** Actions of runs: what was proposed, allowed, performed; and the facts about them. */

import { z } from 'zod'
import type { Permission, Receipt, RecordedFacts } from '../../loop/index.ts'
import { permissionSchema, receiptSchema } from '../events/action-schema.ts'
import { exactly } from '../exactly.ts'
import { count, milliseconds, published } from '../values.ts'

const text = z.string()
const texts = z.array(text).readonly()

export const actionEntryStatuses = [
  'proposed',
  'refused',
  'started',
  'done',
  'skipped',
  'failed',
  'unknown',
  'escaped',
] as const

/** One action of a run. */
export interface ActionEntry {
  /** Its idempotency key; until it is performed, the step that judged it. */
  readonly key: string
  readonly kind: string
  readonly summary: string
  readonly status: (typeof actionEntryStatuses)[number]
  readonly atMs: number
  /** Absent: a person requested it after the run. */
  readonly iteration?: number
  /** Who or what allowed it. */
  readonly permission?: Permission
  /** The rules of the policy that decided. */
  readonly policy?: readonly string[]
  readonly facts?: RecordedFacts
  readonly receipt?: Receipt
  /** Why it was refused, asked about, failed, or escaped. */
  readonly reason?: string
}

export const actionEntrySchema: z.ZodType<ActionEntry> = exactly<ActionEntry>()(
  z.strictObject({
    key: text,
    kind: text,
    summary: text,
    status: z.enum(actionEntryStatuses),
    atMs: milliseconds,
    iteration: count.exactOptional(),
    permission: permissionSchema.exactOptional(),
    policy: texts.exactOptional(),
    facts: z
      .strictObject({
        level: z.literal([1, 2, 3]),
        verified: z.boolean(),
        filesChanged: count,
        tokens: count,
        costMicros: count,
        outsideScope: texts.exactOptional(),
      })
      .exactOptional(),
    receipt: receiptSchema.exactOptional(),
    reason: text.exactOptional(),
  }),
).register(published, { id: 'ActionEntry' })

export interface ActionList {
  readonly items: readonly ActionEntry[]
}

export const actionListSchema: z.ZodType<ActionList> = exactly<ActionList>()(
  z.strictObject({ items: z.array(actionEntrySchema).readonly() }),
).register(published, { id: 'ActionList' })

/** Counts by loop, repository and kind: what trust can be based on. */
export interface ActionFact {
  readonly loop: string
  readonly repository?: string
  readonly kind: string
  readonly proposed: number
  readonly refused: number
  readonly done: number
  /** Of these, performed on certified work. */
  readonly verified: number
  readonly failed: number
  readonly unknown: number
  /** Performed, and later found to be wrong: void, or reverted. */
  readonly escaped: number
}

export const actionFactSchema: z.ZodType<ActionFact> = exactly<ActionFact>()(
  z.strictObject({
    loop: text,
    repository: text.exactOptional(),
    kind: text,
    proposed: count,
    refused: count,
    done: count,
    verified: count,
    failed: count,
    unknown: count,
    escaped: count,
  }),
).register(published, { id: 'ActionFact' })

export interface ActionFacts {
  readonly items: readonly ActionFact[]
}

export const actionFactsSchema: z.ZodType<ActionFacts> = exactly<ActionFacts>()(
  z.strictObject({ items: z.array(actionFactSchema).readonly() }),
).register(published, { id: 'ActionFacts' })

/** An action that was performed turned out to be wrong. */
export interface EscapeRequest {
  readonly key: string
  readonly reason: string
  readonly by?: string
}

export const escapeSchema: z.ZodType<EscapeRequest> = exactly<EscapeRequest>()(
  z.strictObject({
    key: text.min(1).max(1000),
    reason: text.min(1).max(2000),
    by: text.max(200).exactOptional(),
  }),
).register(published, { id: 'EscapeRequest' })
