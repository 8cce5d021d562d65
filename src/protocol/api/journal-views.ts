/** Views of a run from the journal: steps, iterations, evidence, spending, questions, output. */

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
import { endingSchema, faultSchema, outcomeSchema } from '../events/event-parts.ts'
import { stepKindSchema } from '../events/event-schema.ts'
import { questionSchema } from '../events/question-parts.ts'
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

/** The legacy phases, for step kinds that map to one. */
export type StepPhase = 'implementation' | 'review' | 'verification' | 'watchdog' | 'merge'

/** One attempt of one step. */
export interface Step {
  readonly iteration: number
  readonly step: StepId
  readonly kind: StepKind
  /** The name in the loop: `maker` for `agent:maker#1`. */
  readonly name: string
  readonly phase?: StepPhase
  readonly attempt: number
  /** `waiting`: for a person, or until a time. */
  readonly state: 'under-way' | 'waiting' | 'done' | 'failed' | 'retrying' | 'interrupted'
  /** The event that started it. */
  readonly seq: number
  readonly startedAtMs: number
  readonly endedAtMs?: number
  readonly exitCode?: number
  /** Including its model calls. */
  readonly spent: Amount
  readonly fault?: Fault
  /** The result, if it was a check. */
  readonly evidence?: NamedEvidence
  /** Content that it stored, by hash. */
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
    phase: z
      .enum(['implementation', 'review', 'verification', 'watchdog', 'merge'])
      .exactOptional(),
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
  /** The event that started it. */
  readonly seq: number
  /** More than 1 after interruptions. */
  readonly entered: number
  readonly startedAtMs: number
  readonly endedAtMs?: number
  readonly ending?: Ending
  /** The run was later rewound to before it. */
  readonly undone: boolean
  readonly spent: Amount
  readonly steps: number
  /** The prompt of its first agent, shortened. */
  readonly prompt?: string
  /** The final report of its last agent, shortened. */
  readonly report?: string
  /** The last result of each check. */
  readonly checks: readonly NamedEvidence[]
  readonly before?: TreeId
  readonly after?: TreeId
  /** Changed paths, if the loop recorded them; only the first of many. */
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

/** One result of a check, and its position in the journal. */
export interface EvidenceEntry {
  readonly seq: number
  readonly atMs: number
  readonly step: StepId
  readonly evidence: NamedEvidence
  /** Whether it is about the current files. */
  readonly isCurrent: boolean
  readonly exitCode?: number
  readonly durationMs?: number
  /** Its output, shortened. */
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
 * One entry of the run's ledger (E4). `reserved`: the worst case of a call is set aside. `settled`: the
 * actual cost replaces it. `charged`: the actual cost is unknown, so the worst case counts. `spent`:
 * spent without a reservation. `carried`: spent by the run that this one continues. All entries except
 * `reserved` add up to what the run has spent.
 */
export interface LedgerEntry {
  readonly seq: number
  readonly atMs: number
  readonly type: 'reserved' | 'settled' | 'charged' | 'spent' | 'carried'
  readonly amount: Amount
  /** The id of a reservation, also on the entry that settles it. */
  readonly id?: string
  readonly iteration?: number
  readonly step?: StepId
  /** The role of the agent. Absent: no agent, or an earlier version wrote the run. */
  readonly role?: string
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
    role: z.string().exactOptional(),
  }),
).register(published, { id: 'LedgerEntry' })

/** A page of the ledger, and the totals. */
export interface Ledger extends Page<LedgerEntry> {
  readonly spent: Amount
  readonly reserved: Amount
  /** The part of `spent` that each agent spent, by role. */
  readonly spentByRole: { readonly [role: string]: Amount }
  readonly limits: Limits
}

export const ledgerSchema: z.ZodType<Ledger> = exactly<Ledger>()(
  z.strictObject({
    items: z.array(ledgerEntrySchema).readonly(),
    next: z.string().exactOptional(),
    spent: amountSchema,
    reserved: amountSchema,
    spentByRole: z.record(z.string(), amountSchema),
    limits: limitsSchema,
  }),
).register(published, { id: 'Ledger' })

/** How far a run is. */
export interface Progress {
  readonly status: RunStatus
  readonly iteration: number
  readonly limits: Limits
  readonly spent: Amount
  readonly reserved: Amount
  /** The part of `spent` that each agent spent, by role. */
  readonly spentByRole: { readonly [role: string]: Amount }
  /** Of the run and of its open iteration, whichever is least. */
  readonly remaining: Omit<Remaining, 'committed'>
  readonly activeMs: number
  /** Iterations in a row in which neither progress nor files changed. */
  readonly unchanged: number
  readonly errors: { readonly signature: string; readonly times: number }
  readonly open?: OpenWork
  /** The progress value of the last iteration. */
  readonly progress?: Json
  readonly outcome?: Outcome
}

/** The current iteration, and its steps that have no result yet. */
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
    spentByRole: z.record(z.string(), amountSchema),
    remaining: z.strictObject({
      iterations: count,
      tokens: count,
      costMicros: count,
      timeMs: z.number(),
      inputTokens: count.exactOptional(),
      outputTokens: count.exactOptional(),
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

/** An open question, with its run. */
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

/** Text that an agent or a check printed. */
export interface OutputEntry {
  readonly seq: number
  readonly atMs: number
  readonly iteration: number
  readonly step: StepId
  /** Which agent, if a step has several: `consult:security`. */
  readonly role?: string
  /** `report`: the final report of an agent. */
  readonly source: 'agent' | 'report' | 'check'
  /** How many bytes the step printed before this. */
  readonly offset: number
  readonly text: string
  /** The text was shortened; the journal has all of it. */
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
