/** What all loops did in a period: one page for a person who looks once a day. */

import { z } from 'zod'
import type { Level } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, milliseconds, published } from '../values.ts'
import { type LevelEntry, levelEntrySchema, levelSchema } from './levels.ts'

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

/** A round that ended and needs a person, though none is asked, such as one whose work cannot be certified. */
export interface EscalatedRound {
  readonly run: string
  readonly loop: string
  readonly repository?: string
  readonly reason: string
  readonly atMs: number
  /** Where its work is. */
  readonly branch?: string
}

/** A loop that was given a higher level than its loop file allows. */
export interface CappedLevel {
  readonly loop: string
  readonly repository?: string
  readonly kind: string
  readonly granted: Level
  /** Of the loop file. */
  readonly ceiling: Level
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
  readonly escalated: readonly EscalatedRound[]
  readonly levels: readonly LevelEntry[]
  readonly capped: readonly CappedLevel[]
  readonly schedules: readonly FailingSchedule[]
  readonly undelivered: readonly UndeliveredReport[]
  /** There were more runs than are summed up here. */
  readonly isPartial: boolean
}

const escalatedRoundSchema: z.ZodType<EscalatedRound> = exactly<EscalatedRound>()(
  z.strictObject({
    run: text,
    loop: text,
    repository: text.exactOptional(),
    reason: text,
    atMs: milliseconds,
    branch: text.exactOptional(),
  }),
).register(published, { id: 'EscalatedRound' })

export interface EscalatedRounds {
  /** The newest first. */
  readonly items: readonly EscalatedRound[]
}

export const escalatedRoundsSchema: z.ZodType<EscalatedRounds> = exactly<EscalatedRounds>()(
  z.strictObject({ items: z.array(escalatedRoundSchema).readonly() }),
).register(published, { id: 'EscalatedRounds' })

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
    escalated: z.array(escalatedRoundSchema).readonly(),
    levels: z.array(levelEntrySchema).readonly(),
    capped: z
      .array(
        z.strictObject({
          loop: text,
          repository: text.exactOptional(),
          kind: text,
          granted: levelSchema,
          ceiling: levelSchema,
        }),
      )
      .readonly(),
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
