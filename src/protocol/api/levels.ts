/** The levels of loops: what they may do, why, and what is missing for more. */

import { z } from 'zod'
import type { Level } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, milliseconds, published } from '../values.ts'

const text = z.string()
const level = z.literal([1, 2, 3])
export const levelSchema: z.ZodType<Level> = level
const share = z.number().min(0).max(1)

export const levelCauses = ['granted', 'earned', 'escape', 'proposed', 'bars'] as const

/** A change of a level, or of what is required for one. */
export interface LevelEntry {
  readonly id: number
  readonly loop: string
  readonly repository?: string
  readonly kind: string
  readonly cause: (typeof levelCauses)[number]
  readonly from: Level
  /** After it. */
  readonly level: Level
  /** A person, or `evidence`. */
  readonly by: string
  readonly reason: string
  readonly atMs: number
}

export const levelEntrySchema: z.ZodType<LevelEntry> = exactly<LevelEntry>()(
  z.strictObject({
    id: count,
    loop: text,
    repository: text.exactOptional(),
    kind: text,
    cause: z.enum(levelCauses),
    from: level,
    level,
    by: text,
    reason: text,
    atMs: milliseconds,
  }),
).register(published, { id: 'LevelEntry' })

/** What is required for a level. */
export interface LevelBar {
  /** The lower bound of verified success must be at least this. */
  readonly bar: number
  /** At least so many finished rounds. */
  readonly minimum: number
}

export interface LevelBars {
  /** Of the bound, one-sided. */
  readonly confidence: number
  readonly 2: LevelBar
  readonly 3: LevelBar
  /** The upper bound of false accepts of the checker must be at most this. */
  readonly falseAcceptsMax: number
}

const barSchema = z.strictObject({ bar: share, minimum: z.int().min(1).max(10_000) })

export const levelBarsSchema: z.ZodType<LevelBars> = exactly<LevelBars>()(
  z.strictObject({ confidence: share, 2: barSchema, 3: barSchema, falseAcceptsMax: share }),
).register(published, { id: 'LevelBars' })

export interface LevelEvidence {
  /** Finished rounds that count, since the level was last set by a person or lowered. */
  readonly trials: number
  /** Verified, allowed by the gate or a person, and not found wrong later. */
  readonly successes: number
  /** The exact one-sided lower bound of the share of successes. */
  readonly lower: number
  readonly confidence: number
}

/** One loop, in one repository, for one kind of action. */
export interface LevelStanding {
  readonly loop: string
  readonly repository?: string
  readonly kind: string
  /** What the next run will have, as far as is known. */
  readonly level: Level
  /** What its loop file allows at most; absent: it has not run since this is recorded. */
  readonly ceiling?: Level
  /** Its loop file says `level: earned`, so that evidence raises 1 to 2. */
  readonly earns: boolean
  readonly evidence: LevelEvidence
  readonly bars: LevelBars
  /** The next level. Absent: there is none. */
  readonly next?: Level
  /** What is missing for the next level. Empty: nothing, so it is proposed or given. */
  readonly missing: readonly string[]
  /** The level that is proposed, and a person has to accept. */
  readonly proposed?: Level
  /** The newest changes first. */
  readonly history: readonly LevelEntry[]
}

export const levelStandingSchema: z.ZodType<LevelStanding> = exactly<LevelStanding>()(
  z.strictObject({
    loop: text,
    repository: text.exactOptional(),
    kind: text,
    level,
    ceiling: level.exactOptional(),
    earns: z.boolean(),
    evidence: z.strictObject({
      trials: count,
      successes: count,
      lower: share,
      confidence: share,
    }),
    bars: levelBarsSchema,
    next: level.exactOptional(),
    missing: z.array(text).readonly(),
    proposed: level.exactOptional(),
    history: z.array(levelEntrySchema).readonly(),
  }),
).register(published, { id: 'LevelStanding' })

/** An action that was found to be wrong. */
export interface FoundEscape {
  readonly run: string
  readonly key: string
  readonly kind: string
  readonly reason: string
}

export interface LevelList {
  readonly items: readonly LevelStanding[]
  /** What was found now, and lowered levels. */
  readonly escapes: readonly FoundEscape[]
}

export const levelListSchema: z.ZodType<LevelList> = exactly<LevelList>()(
  z.strictObject({
    items: z.array(levelStandingSchema).readonly(),
    escapes: z.array(z.strictObject({ run: text, key: text, kind: text, reason: text })).readonly(),
  }),
).register(published, { id: 'LevelList' })

/** Which loop, in which repository, for which kind of action. */
export interface LevelTarget {
  readonly loop: string
  /** An absolute path in it. Default: the only one where the loop ran. */
  readonly workspace?: string
  /** Default: the only kind that the loop proposes. */
  readonly kind?: string
}

/** A decision of a person. Exactly one of `level`, `accept` and `bars`. */
export interface LevelRequest extends LevelTarget {
  readonly level?: Level
  /** Accept what is proposed. */
  readonly accept?: true
  readonly bars?: Partial<LevelBars>
  /** Required, except to accept. */
  readonly reason?: string
  readonly by?: string
}

export const levelRequestSchema: z.ZodType<LevelRequest> = exactly<LevelRequest>()(
  z.strictObject({
    loop: text.min(1).max(256),
    workspace: text.min(1).max(4096).exactOptional(),
    kind: text.min(1).max(64).exactOptional(),
    level: level.exactOptional(),
    accept: z.literal(true).exactOptional(),
    bars: z
      .strictObject({
        confidence: share.min(0.5).max(0.9999).exactOptional(),
        2: barSchema.exactOptional(),
        3: barSchema.exactOptional(),
        falseAcceptsMax: share.exactOptional(),
      })
      .exactOptional(),
    reason: text.trim().min(1).max(2000).exactOptional(),
    by: text.max(200).exactOptional(),
  }),
).register(published, { id: 'LevelRequest' })
