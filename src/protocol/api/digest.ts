/** What all loops did in a period: one page for a person who looks once a day. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { count, milliseconds, published } from '../values.ts'
import { type LevelEntry, levelEntrySchema } from './levels.ts'

const text = z.string()

/** One loop in one repository. */
export interface LoopDigest {
  readonly loop: string
  readonly repository?: string
  /** Runs that began in the period. */
  readonly runs: number
  /** By the outcome of the round; for other runs by their status. */
  readonly outcomes: { readonly [outcome: string]: number }
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costMicros: number
  /** What it asked people, and how long it waited for answers. */
  readonly questions: number
  readonly waitedMs: number
}

export interface DigestEscalation {
  readonly run: string
  readonly loop: string
  /** What the person is asked. */
  readonly text: string
  readonly askedAtMs: number
  readonly deadlineAtMs: number
}

/** A report that did not reach a receiver yet, or never will. */
export interface UndeliveredReport {
  readonly run: string
  readonly loop: string
  /** The kind of the receiver. */
  readonly sink: string
  readonly status: 'retrying' | 'failed'
  readonly tries: number
  readonly error: string
}

export interface FailingSchedule {
  readonly name: string
  readonly loop: string
  readonly health: string
  readonly failures: number
  readonly alert?: string
}

export interface Digest {
  readonly sinceMs: number
  readonly untilMs: number
  /** The most expensive first. */
  readonly loops: readonly LoopDigest[]
  /** The nearest deadline first, however old. */
  readonly escalations: readonly DigestEscalation[]
  readonly levels: readonly LevelEntry[]
  readonly schedules: readonly FailingSchedule[]
  readonly undelivered: readonly UndeliveredReport[]
  /** There were more runs than are summed up here. */
  readonly isPartial: boolean
}

export const digestSchema: z.ZodType<Digest> = exactly<Digest>()(
  z.strictObject({
    sinceMs: milliseconds,
    untilMs: milliseconds,
    loops: z
      .array(
        z.strictObject({
          loop: text,
          repository: text.exactOptional(),
          runs: count,
          outcomes: z.record(text, count),
          inputTokens: count,
          outputTokens: count,
          costMicros: count,
          questions: count,
          waitedMs: milliseconds,
        }),
      )
      .readonly(),
    escalations: z
      .array(
        z.strictObject({
          run: text,
          loop: text,
          text,
          askedAtMs: milliseconds,
          deadlineAtMs: milliseconds,
        }),
      )
      .readonly(),
    levels: z.array(levelEntrySchema).readonly(),
    schedules: z
      .array(
        z.strictObject({
          name: text,
          loop: text,
          health: text,
          failures: count,
          alert: text.exactOptional(),
        }),
      )
      .readonly(),
    undelivered: z
      .array(
        z.strictObject({
          run: text,
          loop: text,
          sink: text,
          status: z.enum(['retrying', 'failed']),
          tries: count,
          error: text,
        }),
      )
      .readonly(),
    isPartial: z.boolean(),
  }),
).register(published, { id: 'Digest' })
