/** A run as lists show it, and a run with all details. */

import { z } from 'zod'
import type { OpenQuestion, RunCheck, RunId, RunState, RunStatus } from '../../loop/index.ts'
import { questionSchema } from '../events/question-parts.ts'
import { exactly } from '../exactly.ts'
import type { RoundReport } from '../round/round-report.ts'
import { roundReportSchema } from '../round/round-report-schema.ts'
import { runCheckSchema } from '../run-values.ts'
import { count, id, published } from '../values.ts'
import { type QueueEntry, queueEntrySchema } from './queue.ts'
import { type Review, reviewSchema } from './review-status.ts'
import { runStateSchema } from './run-state.ts'
import { runStatusSchema } from './run-status.ts'

/** Same shape as the host's `RunRow`. */
export interface Run {
  readonly id: RunId
  readonly name: string
  readonly loop: string
  readonly status: RunStatus
  readonly iteration: number
  readonly workspace?: string
  /** For a run in a worktree: the folder of its repository, and its branch. Only in lists. */
  readonly repository?: string
  readonly branch?: string
  /** The paths of the files that it builds from, in the workspace. Only in lists and details. */
  readonly spec?: string
  readonly plan?: string
  /** Its work waits to be merged into this branch; 1: it is next. Only in lists and details. */
  readonly merging?: { readonly target: string; readonly position: number }
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly lastSeq: number
  /** A process drives it now. */
  readonly held: boolean
  /** Its process ended unexpectedly; it can be resumed. */
  readonly interrupted: boolean
  /** The questions that it asked, and how long it waited for answers. Only in lists that ask for it. */
  readonly attention?: RunAttention
}

export interface RunAttention {
  readonly questions: number
  readonly waitedMs: number
}

/** The runs of one loop, and the attention that they needed. */
export interface LoopAttention extends RunAttention {
  readonly loop: string
  readonly runs: number
}

export const loopAttentionSchema: z.ZodType<LoopAttention> = exactly<LoopAttention>()(
  z.strictObject({ loop: z.string(), runs: count, questions: count, waitedMs: z.number() }),
).register(published, { id: 'LoopAttention' })

export interface LoopAttentions {
  readonly items: readonly LoopAttention[]
}

export const loopAttentionsSchema: z.ZodType<LoopAttentions> = exactly<LoopAttentions>()(
  z.strictObject({ items: z.array(loopAttentionSchema).readonly() }),
).register(published, { id: 'LoopAttentions' })

export const runSchema: z.ZodType<Run> = exactly<Run>()(
  z.strictObject({
    id: id<RunId>(),
    name: z.string(),
    loop: z.string(),
    status: runStatusSchema,
    iteration: count,
    workspace: z.string().exactOptional(),
    repository: z.string().exactOptional(),
    branch: z.string().exactOptional(),
    spec: z.string().exactOptional(),
    plan: z.string().exactOptional(),
    merging: z.strictObject({ target: z.string(), position: count }).exactOptional(),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
    lastSeq: count,
    held: z.boolean(),
    interrupted: z.boolean(),
    attention: z.strictObject({ questions: count, waitedMs: z.number() }).exactOptional(),
  }),
).register(published, { id: 'Run' })

/** The end of an iteration, which can be forked, exported and rewound to. */
export interface CheckpointPosition {
  readonly iteration: number
  readonly seq: number
  readonly atMs: number
}

export const checkpointPositionSchema: z.ZodType<CheckpointPosition> =
  exactly<CheckpointPosition>()(
    z.strictObject({ iteration: count, seq: count, atMs: z.number() }),
  ).register(published, { id: 'CheckpointPlace' })

export const openQuestionSchema: z.ZodType<OpenQuestion> = exactly<OpenQuestion>()(
  z.strictObject({
    id: z.string(),
    question: questionSchema,
    askedAtMs: z.number(),
    deadlineAtMs: z.number(),
  }),
).register(published, { id: 'OpenQuestion' })

/** Same shape as the host's `Inspection`, plus the position in the queue. */
export interface RunDetail {
  readonly run: Run
  readonly state: RunState
  /** Why it is suspended. */
  readonly why?: string
  readonly questions: readonly OpenQuestion[]
  readonly checkpoints: readonly CheckpointPosition[]
  /** Each check, and its status on the current files. Absent: an older daemon. */
  readonly checks?: readonly RunCheck[]
  /** What happened to its work, once a person has decided. */
  readonly review?: Review
  /** Of a round: its newest report. */
  readonly round?: RoundReport
  /** Absent: it is not in the daemon's queue. */
  readonly queue?: QueueEntry
}

export const runDetailSchema: z.ZodType<RunDetail> = z
  .strictObject({
    run: runSchema,
    state: runStateSchema,
    why: z.string().exactOptional(),
    questions: z.array(openQuestionSchema).readonly(),
    checkpoints: z.array(checkpointPositionSchema).readonly(),
    checks: z.array(runCheckSchema).readonly().exactOptional(),
    review: reviewSchema.exactOptional(),
    round: roundReportSchema.exactOptional(),
    queue: queueEntrySchema.exactOptional(),
  })
  .register(published, { id: 'RunDetail' })

/** The response to every request that changes a run: its current state. */
export interface RunAnswer {
  readonly run: Run
  readonly queue?: QueueEntry
  /** Of a new run: why it works in the folder itself, without a worktree. */
  readonly why?: string
}

export const runAnswerSchema: z.ZodType<RunAnswer> = exactly<RunAnswer>()(
  z.strictObject({
    run: runSchema,
    queue: queueEntrySchema.exactOptional(),
    why: z.string().exactOptional(),
  }),
).register(published, { id: 'RunAnswer' })
