/**
 * One checkpoint as a file: what another machine or program needs to continue from it.
 *
 * C1. The five legacy parts are for readers of that format. Values outside its bounds are clamped or
 *     cut there, and only there (see `src/formats/to-checkpoint-file.ts`).
 * C2. `loopwright` holds exactly what a run continues from; restoring reads nothing else.
 * C3. `sha256` is the digest of the canonical JSON of everything else. A file that does not match it
 *     is refused.
 */

import { z } from 'zod'
import type { Amount, Json, Limits, RunId, TreeId } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import {
  amountSchema,
  limitsSchema,
  type NamedEvidence,
  namedEvidenceSchema,
} from '../run-values.ts'
import { count, id, json, listOf, milliseconds, ordinal, published } from '../values.ts'
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
import { type WorkspaceFile, workspaceFilesSchema } from './workspace-file.ts'

export const checkpointFormat = 'loopwright-checkpoint'
export const checkpointFormatVersion = 1
/** The size limit for reading and writing. */
export const checkpointCharsMax: number = 256 * 1024 * 1024

/** What the legacy format has no field for. */
export interface Continuation {
  readonly run: { readonly id: RunId; readonly name: string }
  readonly loop: string
  readonly codeDigest: string
  readonly eventVersion: number
  /** Finished iterations that count. */
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
  /** The content of `tree`. Absent: the other machine already has it, or the run has no workspace. */
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

/** SHA-256 of a text's UTF-8 bytes in lower-case hex. Passed in because this folder is pure. */
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
