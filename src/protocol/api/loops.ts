/** The loop files of projects with what a run of each can be given, what a run would need, and the catalog. */

import { z } from 'zod'
import type { Json } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, json, pathText, published } from '../values.ts'

const text = z.string()
const texts = z.array(text).readonly()
const level = z.literal([1, 2, 3, 'earned'])

/** A value that a run of a loop can be given. */
export interface LoopInput {
  readonly name: string
  /** Of the loop file. Absent: there is none. */
  readonly default?: Json
  /** Declared by the file itself, or by its loop type. */
  readonly from: 'loop-file' | 'loop-type'
}

const loopInputSchema: z.ZodType<LoopInput> = exactly<LoopInput>()(
  z.strictObject({
    name: text,
    default: json.exactOptional(),
    from: z.enum(['loop-file', 'loop-type']),
  }),
).register(published, { id: 'LoopInput' })

/** A loop file, read without running anything of it. */
export interface LoopEntry {
  /** An absolute path. */
  readonly file: string
  /** The project: the repository that contains it, or its folder. */
  readonly folder: string
  readonly name: string
  /** Its content is trusted as it is now. */
  readonly trusted: boolean
  /** Absent: its code decides, or the file cannot be read. */
  readonly type?: string
  readonly description?: string
  /** Where a run works if the request names no folder. */
  readonly workspace: string
  /** Absent: its code decides. */
  readonly inputs?: readonly LoopInput[]
  readonly level?: 1 | 2 | 3 | 'earned'
  /** Why it cannot run: what to change. */
  readonly problem?: string
}

const loopEntrySchema: z.ZodType<LoopEntry> = exactly<LoopEntry>()(
  z.strictObject({
    file: text,
    folder: text,
    name: text,
    trusted: z.boolean(),
    type: text.exactOptional(),
    description: text.exactOptional(),
    workspace: text,
    inputs: z.array(loopInputSchema).readonly().exactOptional(),
    level: level.exactOptional(),
    problem: text.exactOptional(),
  }),
).register(published, { id: 'LoopEntry' })

export interface LoopListing {
  readonly items: readonly LoopEntry[]
}

export const loopListingSchema: z.ZodType<LoopListing> = exactly<LoopListing>()(
  z.strictObject({ items: z.array(loopEntrySchema).readonly() }),
).register(published, { id: 'LoopListing' })

export interface FindLoopsRequest {
  /** An absolute path on the daemon's machine. */
  readonly folder: string
}

export const findLoopsSchema: z.ZodType<FindLoopsRequest> = exactly<FindLoopsRequest>()(
  z.strictObject({ folder: pathText }),
).register(published, { id: 'FindLoopsRequest' })

/** What was found before a run, without starting anything of the project. */
export interface StartFindings {
  readonly loop: string
  readonly findings: readonly StartFinding[]
  /** No finding is a problem. */
  readonly ready: boolean
}

export interface StartFinding {
  readonly what:
    | 'loop file'
    | 'readiness'
    | 'agent'
    | 'sandbox'
    | 'disk'
    | 'lockfile'
    | 'sources'
    | 'checks'
  readonly status: 'ok' | 'warning' | 'problem'
  /** One sentence; for a problem, with what to do. */
  readonly detail: string
}

const startFindingSchema: z.ZodType<StartFinding> = exactly<StartFinding>()(
  z.strictObject({
    what: z.enum([
      'loop file',
      'readiness',
      'agent',
      'sandbox',
      'disk',
      'lockfile',
      'sources',
      'checks',
    ]),
    status: z.enum(['ok', 'warning', 'problem']),
    detail: text,
  }),
)

export const startFindingsSchema: z.ZodType<StartFindings> = exactly<StartFindings>()(
  z.strictObject({
    loop: text,
    findings: z.array(startFindingSchema).readonly(),
    ready: z.boolean(),
  }),
).register(published, { id: 'StartFindings' })

/** A ready loop of the package. */
export interface CatalogLoopEntry {
  readonly name: string
  readonly description: string
  readonly cadence: string
  readonly level: 1 | 2 | 3 | 'earned'
  /** The kind of its action. */
  readonly action: string
  readonly reads: readonly string[]
  /** What has to be there, in words. */
  readonly needs: readonly string[]
  /** The suggested limit of tokens for all of its rounds in a day. */
  readonly dailyTokens: number
}

export interface CatalogListing {
  readonly items: readonly CatalogLoopEntry[]
}

export const catalogListingSchema: z.ZodType<CatalogListing> = exactly<CatalogListing>()(
  z.strictObject({
    items: z
      .array(
        z.strictObject({
          name: text,
          description: text,
          cadence: text,
          level,
          action: text,
          reads: texts,
          needs: texts,
          dailyTokens: count,
        }),
      )
      .readonly(),
  }),
).register(published, { id: 'CatalogListing' })
