/** A run with what lists and dashboards show of it, and the state of the machine that it runs on. */

import { z } from 'zod'
import type { CertificateId, OutcomeType } from '../../loop/index.ts'
import type { StateSummary } from '../../loop/run-summary.ts'
import { exactly } from '../exactly.ts'
import { amountSchema, limitsSchema } from '../run-values.ts'
import { count, id, milliseconds, published } from '../values.ts'
import { type Review, reviewSchema } from './review-status.ts'
import { type Run, runSchema } from './run.ts'
import { runStatusSchema } from './run-status.ts'

const text = z.string()
const texts = z.array(text).readonly()

export interface RunSummary extends Omit<StateSummary, 'metThen' | 'branch'> {
  readonly run: Run
  /** What it does, waits for or ended with, in one line. */
  readonly line: string
  readonly lastEvent: { readonly type: string; readonly atMs: number; readonly text: string }
  readonly waitsFor?: WaitsFor
  /** What happened to its work, once a person has decided. */
  readonly review?: Review
}

/** What a run waits for. */
export type WaitsFor =
  | {
      readonly type: 'person'
      readonly question: string
      readonly text: string
      readonly askedAtMs: number
      readonly deadlineAtMs: number
      /** How many questions are open. */
      readonly count: number
    }
  /** A slot, a folder or a time; `why` says which. */
  | { readonly type: 'queue'; readonly why: string; readonly position?: number }
  | { readonly type: 'provider'; readonly untilMs: number }
  | { readonly type: 'merge'; readonly target: string; readonly position: number }

export const waitsForSchema: z.ZodType<WaitsFor> = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('person'),
      question: text,
      text,
      askedAtMs: z.number(),
      deadlineAtMs: z.number(),
      count,
    }),
    z.strictObject({ type: z.literal('queue'), why: text, position: count.exactOptional() }),
    z.strictObject({ type: z.literal('provider'), untilMs: z.number() }),
    z.strictObject({ type: z.literal('merge'), target: text, position: count }),
  ])
  .register(published, { id: 'WaitsFor' })

type ChecksSummary = StateSummary['checks']
type IterationPoint = StateSummary['points'][number]

const checksSummarySchema: z.ZodType<ChecksSummary> = exactly<ChecksSummary>()(
  z.strictObject({ of: count, met: count, pending: count, notMet: texts, worse: texts }),
).register(published, { id: 'ChecksSummary' })

const iterationPointSchema: z.ZodType<IterationPoint> = exactly<IterationPoint>()(
  z.strictObject({ iteration: count, costMicros: count, tokens: count, met: count }),
).register(published, { id: 'IterationPoint' })

export const runSummarySchema: z.ZodType<RunSummary> = exactly<RunSummary>()(
  z.strictObject({
    run: runSchema,
    line: text,
    lastEvent: z.strictObject({ type: text, atMs: z.number(), text }),
    waitsFor: waitsForSchema.exactOptional(),
    review: reviewSchema.exactOptional(),
    spent: amountSchema,
    limits: limitsSchema,
    activeMs: milliseconds,
    checks: checksSummarySchema,
    points: z.array(iterationPointSchema).readonly(),
    open: z.strictObject({ iteration: count, startedAtMs: z.number() }).exactOptional(),
    limitedUntilMs: z.number().exactOptional(),
    outcome: z
      .strictObject({ type: runStatusSchema as z.ZodType<OutcomeType>, text })
      .exactOptional(),
    certificate: z
      .strictObject({ id: id<CertificateId>(), isCurrent: z.boolean() })
      .exactOptional(),
    agent: text.exactOptional(),
    sandbox: z.enum(['strong', 'basic', 'none']).exactOptional(),
    schedule: text.exactOptional(),
    todo: z.strictObject({ done: count, of: count }).exactOptional(),
    unchanged: count,
    sameErrors: count,
    pauseRequested: z.literal(true).exactOptional(),
  }),
).register(published, { id: 'RunSummary' })

/** A page of runs. To follow it, stream from `position`: nothing is missed and nothing is read twice. */
export interface RunSummaries {
  readonly items: readonly RunSummary[]
  readonly next?: string
  readonly position: number
}

export const runSummariesSchema: z.ZodType<RunSummaries> = exactly<RunSummaries>()(
  z.strictObject({
    items: z.array(runSummarySchema).readonly(),
    next: text.exactOptional(),
    position: count,
  }),
).register(published, { id: 'RunSummaries' })

/** One message of the stream: runs that changed. `isTooMany`: get the list again. */
export interface ChangedSummaries {
  readonly items: readonly RunSummary[]
  readonly isTooMany?: true
}
