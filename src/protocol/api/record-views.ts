/** What the record says of a run, in parts: its steps, iterations, evidence, spending, questions, output. */

import { z } from 'zod'
import type {
  Amount,
  Ending,
  Fault,
  OpenQuestion,
  RunId,
  StepId,
  StepKind,
  TreeId,
} from '../../loop/index.ts'
import { endingSchema, faultSchema, questionSchema } from '../event-parts.ts'
import { stepKindSchema } from '../event-schema.ts'
import { exactly } from '../exactly.ts'
import { amountSchema, type NamedEvidence, namedEvidenceSchema } from '../run-values.ts'
import { count, id, ordinal, published } from '../values.ts'

export interface Step {
  readonly iteration: number
  readonly step: StepId
  readonly kind: StepKind
  readonly attempt: number
  readonly state: 'under-way' | 'done' | 'failed' | 'retrying' | 'interrupted'
  /** The event that it began with. */
  readonly seq: number
  readonly startedAtMs: number
  readonly endedAtMs?: number
  readonly spent?: Amount
  readonly fault?: Fault
  /** What it found, where it was a check. */
  readonly evidence?: NamedEvidence
}

export const stepSchema: z.ZodType<Step> = exactly<Step>()(
  z.strictObject({
    iteration: ordinal,
    step: id<StepId>(),
    kind: stepKindSchema,
    attempt: ordinal,
    state: z.enum(['under-way', 'done', 'failed', 'retrying', 'interrupted']),
    seq: ordinal,
    startedAtMs: z.number(),
    endedAtMs: z.number().exactOptional(),
    spent: amountSchema.exactOptional(),
    fault: faultSchema.exactOptional(),
    evidence: namedEvidenceSchema.exactOptional(),
  }),
).register(published, { id: 'Step' })

export interface IterationSummary {
  readonly iteration: number
  /** More than once after interruptions. */
  readonly entered: number
  readonly startedAtMs: number
  readonly endedAtMs?: number
  readonly ending?: Ending
  /** The run went back to before it since. */
  readonly undone: boolean
  readonly spent: Amount
  readonly steps: number
  readonly before?: TreeId
  readonly after?: TreeId
}

export const iterationSummarySchema: z.ZodType<IterationSummary> = exactly<IterationSummary>()(
  z.strictObject({
    iteration: ordinal,
    entered: ordinal,
    startedAtMs: z.number(),
    endedAtMs: z.number().exactOptional(),
    ending: endingSchema.exactOptional(),
    undone: z.boolean(),
    spent: amountSchema,
    steps: count,
    before: id<TreeId>().exactOptional(),
    after: id<TreeId>().exactOptional(),
  }),
).register(published, { id: 'IterationSummary' })

/** One answer of a check, and where in the record it is. */
export interface EvidenceEntry {
  readonly seq: number
  readonly atMs: number
  readonly step: StepId
  readonly evidence: NamedEvidence
}

export const evidenceEntrySchema: z.ZodType<EvidenceEntry> = exactly<EvidenceEntry>()(
  z.strictObject({
    seq: ordinal,
    atMs: z.number(),
    step: id<StepId>(),
    evidence: namedEvidenceSchema,
  }),
).register(published, { id: 'EvidenceEntry' })

/** One movement of the run's budget (E4). */
export interface LedgerEntry {
  readonly seq: number
  readonly atMs: number
  readonly type: 'reserved' | 'settled' | 'spent'
  readonly amount: Amount
  /** Of a reservation and of what settles it. */
  readonly id?: string
  readonly iteration?: number
  readonly step?: StepId
}

export const ledgerEntrySchema: z.ZodType<LedgerEntry> = exactly<LedgerEntry>()(
  z.strictObject({
    seq: ordinal,
    atMs: z.number(),
    type: z.enum(['reserved', 'settled', 'spent']),
    amount: amountSchema,
    id: z.string().exactOptional(),
    iteration: ordinal.exactOptional(),
    step: id<StepId>().exactOptional(),
  }),
).register(published, { id: 'LedgerEntry' })

/** A question that some run asks. */
export interface InboxQuestion extends OpenQuestion {
  readonly run: { readonly id: RunId; readonly name: string }
}

export const inboxQuestionSchema: z.ZodType<InboxQuestion> = exactly<InboxQuestion>()(
  z.strictObject({
    id: z.string(),
    question: questionSchema,
    askedAtMs: z.number(),
    deadlineAtMs: z.number(),
    run: z.strictObject({ id: id<RunId>(), name: z.string() }),
  }),
).register(published, { id: 'InboxQuestion' })

/** Something that an agent said, or a check printed. */
export interface OutputEntry {
  readonly seq: number
  readonly atMs: number
  readonly iteration: number
  readonly step: StepId
  readonly source: 'agent' | 'check'
  readonly text: string
}

export const outputEntrySchema: z.ZodType<OutputEntry> = exactly<OutputEntry>()(
  z.strictObject({
    seq: ordinal,
    atMs: z.number(),
    iteration: ordinal,
    step: id<StepId>(),
    source: z.enum(['agent', 'check']),
    text: z.string(),
  }),
).register(published, { id: 'OutputEntry' })
