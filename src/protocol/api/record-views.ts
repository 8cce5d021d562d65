/** What the record says of a run, in parts: its steps, iterations, evidence, spending, questions, output. */

import { z } from 'zod'
import type {
  Amount,
  BlobId,
  Ending,
  Fault,
  Json,
  Limits,
  OpenQuestion,
  Outcome,
  Remaining,
  RunId,
  RunStatus,
  StepId,
  StepKind,
  TreeId,
} from '../../loop/index.ts'
import { endingSchema, faultSchema, outcomeSchema, questionSchema } from '../event-parts.ts'
import { stepKindSchema } from '../event-schema.ts'
import { exactly } from '../exactly.ts'
import {
  amountSchema,
  limitsSchema,
  type NamedEvidence,
  namedEvidenceSchema,
} from '../run-values.ts'
import { count, id, json, listOf, ordinal, published } from '../values.ts'
import type { Page } from './page.ts'
import { runStatusSchema } from './run-status.ts'

/** The phases of document 002, as far as a kind of step is one. */
export type StepPhase = 'implementation' | 'review' | 'verification' | 'merge'

/** One attempt of one step. */
export interface Step {
  readonly iteration: number
  readonly step: StepId
  readonly kind: StepKind
  /** What the loop called it: `maker` of `agent:maker#1`. */
  readonly name: string
  readonly phase?: StepPhase
  readonly attempt: number
  /** `waiting`: for a person, or for a moment. */
  readonly state: 'under-way' | 'waiting' | 'done' | 'failed' | 'retrying' | 'interrupted'
  /** The event that it began with. */
  readonly seq: number
  readonly startedAtMs: number
  readonly endedAtMs?: number
  readonly exitCode?: number
  /** With what its calls of models cost. */
  readonly spent: Amount
  readonly fault?: Fault
  /** What it found, where it was a check. */
  readonly evidence?: NamedEvidence
  /** Content that it left, by its hash. */
  readonly artifacts: readonly StepArtifact[]
}

export interface StepArtifact {
  readonly name: string
  readonly blob: BlobId
  readonly bytes: number
}

export const stepSchema: z.ZodType<Step> = exactly<Step>()(
  z.strictObject({
    iteration: ordinal,
    step: id<StepId>(),
    kind: stepKindSchema,
    name: z.string(),
    phase: z.enum(['implementation', 'review', 'verification', 'merge']).exactOptional(),
    attempt: ordinal,
    state: z.enum(['under-way', 'waiting', 'done', 'failed', 'retrying', 'interrupted']),
    seq: ordinal,
    startedAtMs: z.number(),
    endedAtMs: z.number().exactOptional(),
    exitCode: z.int().exactOptional(),
    spent: amountSchema,
    fault: faultSchema.exactOptional(),
    evidence: namedEvidenceSchema.exactOptional(),
    artifacts: listOf(z.strictObject({ name: z.string(), blob: id<BlobId>(), bytes: count })),
  }),
).register(published, { id: 'Step' })

export interface IterationSummary {
  readonly iteration: number
  /** The event that it began with. */
  readonly seq: number
  /** More than once after interruptions. */
  readonly entered: number
  readonly startedAtMs: number
  readonly endedAtMs?: number
  readonly ending?: Ending
  /** The run went back to before it since. */
  readonly undone: boolean
  readonly spent: Amount
  readonly steps: number
  /** What its first agent was given, shortened. */
  readonly prompt?: string
  /** What its last agent said at its end, shortened. */
  readonly report?: string
  /** The last answer of each check. */
  readonly checks: readonly NamedEvidence[]
  readonly before?: TreeId
  readonly after?: TreeId
  /** Paths that changed, where the loop has looked; of many, the first. */
  readonly changed?: readonly string[]
}

export const iterationSummarySchema: z.ZodType<IterationSummary> = exactly<IterationSummary>()(
  z.strictObject({
    iteration: ordinal,
    seq: ordinal,
    entered: ordinal,
    startedAtMs: z.number(),
    endedAtMs: z.number().exactOptional(),
    ending: endingSchema.exactOptional(),
    undone: z.boolean(),
    spent: amountSchema,
    steps: count,
    prompt: z.string().exactOptional(),
    report: z.string().exactOptional(),
    checks: listOf(namedEvidenceSchema),
    before: id<TreeId>().exactOptional(),
    after: id<TreeId>().exactOptional(),
    changed: listOf(z.string()).exactOptional(),
  }),
).register(published, { id: 'IterationSummary' })

/** One answer of a check, and where in the record it is. */
export interface EvidenceEntry {
  readonly seq: number
  readonly atMs: number
  readonly step: StepId
  readonly evidence: NamedEvidence
  /** It is about the files as they are now. */
  readonly isCurrent: boolean
  readonly exitCode?: number
  readonly durationMs?: number
  /** What it printed, shortened. */
  readonly output?: string
}

export const evidenceEntrySchema: z.ZodType<EvidenceEntry> = exactly<EvidenceEntry>()(
  z.strictObject({
    seq: ordinal,
    atMs: z.number(),
    step: id<StepId>(),
    evidence: namedEvidenceSchema,
    isCurrent: z.boolean(),
    exitCode: z.int().exactOptional(),
    durationMs: z.number().exactOptional(),
    output: z.string().exactOptional(),
  }),
).register(published, { id: 'EvidenceEntry' })

/**
 * One movement of the run's budget (E4). `reserved`: a worst case is laid on the scale. `settled`: what
 * was really spent takes its place. `charged`: nobody knows, so the worst case was spent. `spent`: without
 * a reservation. `carried`: by the run that this one goes on from. All but the reserved add up to what
 * the run has spent.
 */
export interface LedgerEntry {
  readonly seq: number
  readonly atMs: number
  readonly type: 'reserved' | 'settled' | 'charged' | 'spent' | 'carried'
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
    type: z.enum(['reserved', 'settled', 'charged', 'spent', 'carried']),
    amount: amountSchema,
    id: z.string().exactOptional(),
    iteration: ordinal.exactOptional(),
    step: id<StepId>().exactOptional(),
  }),
).register(published, { id: 'LedgerEntry' })

/** A page of it, and where the whole of it stands. */
export interface Ledger extends Page<LedgerEntry> {
  readonly spent: Amount
  readonly reserved: Amount
  readonly limits: Limits
}

export const ledgerSchema: z.ZodType<Ledger> = exactly<Ledger>()(
  z.strictObject({
    items: z.array(ledgerEntrySchema).readonly(),
    next: z.string().exactOptional(),
    spent: amountSchema,
    reserved: amountSchema,
    limits: limitsSchema,
  }),
).register(published, { id: 'Ledger' })

/** What a run has got to. */
export interface Progress {
  readonly status: RunStatus
  readonly iteration: number
  readonly limits: Limits
  readonly spent: Amount
  readonly reserved: Amount
  readonly remaining: Remaining
  readonly activeMs: number
  /** Iterations in a row in which neither progress nor files changed. */
  readonly unchanged: number
  readonly errors: { readonly signature: string; readonly times: number }
  readonly open?: OpenWork
  /** What the iterations so far left. */
  readonly progress?: Json
  readonly outcome?: Outcome
}

/** The iteration under way, and its steps that have no result yet. */
export interface OpenWork {
  readonly iteration: number
  readonly startedAtMs: number
  readonly steps: readonly { readonly step: StepId; readonly startedAtMs: number }[]
}

export const progressSchema: z.ZodType<Progress> = exactly<Progress>()(
  z.strictObject({
    status: runStatusSchema,
    iteration: count,
    limits: limitsSchema,
    spent: amountSchema,
    reserved: amountSchema,
    remaining: z.strictObject({
      iterations: count,
      tokens: count,
      costMicros: count,
      timeMs: z.number(),
    }),
    activeMs: z.number(),
    unchanged: count,
    errors: z.strictObject({ signature: z.string(), times: count }),
    open: z
      .strictObject({
        iteration: ordinal,
        startedAtMs: z.number(),
        steps: listOf(z.strictObject({ step: id<StepId>(), startedAtMs: z.number() })),
      })
      .exactOptional(),
    progress: json.exactOptional(),
    outcome: outcomeSchema.exactOptional(),
  }),
).register(published, { id: 'Progress' })

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
  /** Whose, where a step has several at work: `consult:security`. */
  readonly role?: string
  /** `report`: what an agent said at its end. */
  readonly source: 'agent' | 'report' | 'check'
  /** Bytes that this step said before it. */
  readonly offset: number
  readonly text: string
  /** There was more of it; the whole is in the record. */
  readonly cut?: true
}

export const outputEntrySchema: z.ZodType<OutputEntry> = exactly<OutputEntry>()(
  z.strictObject({
    seq: ordinal,
    atMs: z.number(),
    iteration: ordinal,
    step: id<StepId>(),
    role: z.string().exactOptional(),
    source: z.enum(['agent', 'report', 'check']),
    offset: count,
    text: z.string(),
    cut: z.literal(true).exactOptional(),
  }),
).register(published, { id: 'OutputEntry' })
