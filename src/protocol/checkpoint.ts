/**
 * One checkpoint as a file: what another machine, or another program, needs to go on from it.
 *
 * C1. The five parts of document 001 are for its readers. Values outside its bounds are clamped or
 *     cut there, and only there (see `to-checkpoint-file.ts`).
 * C2. `loopwright` holds what a run continues from, exactly, and nothing else is read to restore.
 * C3. `sha256` is the digest of the canonical JSON of everything else. A file that does not agree
 *     with it is refused.
 */

import { z } from 'zod'
import type { Amount, Json, Limits, RunId, TreeId } from '../loop/index.ts'
import {
  type Checkpoint,
  type ExitConditionStatus,
  type IterationEvent,
  iterationEventsMax,
  type LoopConfig,
  type LoopState,
} from './entities.ts'
import {
  checkpointSchema,
  exitConditionStatusSchema,
  iterationEventSchema,
  loopConfigSchema,
  loopStateSchema,
} from './entity-schemas.ts'
import { exactly } from './exactly.ts'
import {
  amountSchema,
  limitsSchema,
  type NamedEvidence,
  namedEvidenceSchema,
} from './run-values.ts'
import { count, id, json, listOf, milliseconds, ordinal, published } from './values.ts'
import { type WorkspaceFile, workspaceFilesSchema } from './workspace-file.ts'

export const checkpointFormat = 'loopwright-checkpoint'
export const checkpointFormatVersion = 1
/** The longest text that is read or written. */
export const checkpointCharsMax: number = 256 * 1024 * 1024

/** What document 001 has no field for. */
export interface Continuation {
  readonly run: { readonly id: RunId; readonly name: string }
  readonly loop: string
  readonly codeDigest: string
  readonly eventVersion: number
  /** Iterations that count and are over. */
  readonly iteration: number
  readonly limits: Limits
  readonly spent: Amount
  readonly activeMs: number
  readonly progress?: Json
  readonly input?: Json
  readonly evidence: readonly NamedEvidence[]
  readonly unchanged: number
  readonly errors: { readonly signature: string; readonly times: number }
  readonly tree?: TreeId
  /** The content of `tree`. Absent: the other machine has it, or the run has no workspace. */
  readonly files?: readonly WorkspaceFile[]
}

export interface CheckpointFile {
  readonly format: typeof checkpointFormat
  readonly format_version: typeof checkpointFormatVersion
  readonly loop_config: LoopConfig
  readonly state: LoopState
  readonly checkpoint: Checkpoint
  readonly exit_conditions: readonly ExitConditionStatus[]
  readonly events: readonly IterationEvent[]
  readonly loopwright: Continuation
  readonly sha256: string
}

/** SHA-256 of a text's UTF-8, in lower-case hex. Passed in: this folder is pure. */
export type Sha256 = (text: string) => string

const continuationSchema = exactly<Continuation>()(
  z.strictObject({
    run: z.strictObject({ id: id<RunId>(), name: z.string() }),
    loop: z.string(),
    codeDigest: z.string(),
    eventVersion: ordinal,
    iteration: count,
    limits: limitsSchema,
    spent: amountSchema,
    activeMs: milliseconds,
    progress: json.exactOptional(),
    input: json.exactOptional(),
    evidence: listOf(namedEvidenceSchema),
    unchanged: count,
    errors: z.strictObject({ signature: z.string(), times: count }),
    tree: id<TreeId>().exactOptional(),
    files: workspaceFilesSchema.exactOptional(),
  }),
).register(published, { id: 'Continuation' })

export const checkpointFileSchema: z.ZodType<CheckpointFile> = exactly<CheckpointFile>()(
  z.strictObject({
    format: z.literal(checkpointFormat),
    format_version: z.literal(checkpointFormatVersion),
    loop_config: loopConfigSchema,
    state: loopStateSchema,
    checkpoint: checkpointSchema,
    exit_conditions: listOf(exitConditionStatusSchema),
    events: listOf(iterationEventSchema, iterationEventsMax),
    loopwright: continuationSchema,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
)
