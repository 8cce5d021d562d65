/** Requests that control an existing run: the bodies of `POST /runs/{run}/…`. */

import { z } from 'zod'
import type { AnswerKind, Json, Limits } from '../../loop/index.ts'
import { answerKindSchema } from '../events/question-parts.ts'
import { exactly } from '../exactly.ts'
import type { CertifySettings } from '../loop-file/loop-file.ts'
import { dependenciesSchema, someLimitsSchema } from '../run-values.ts'
import { json, pathText as path, published } from '../values.ts'
import { type CallerEnvironment, callerEnvironmentSchema } from './caller-environment.ts'

const by = z.string().min(1).max(256).exactOptional()
const iteration = z.int().min(0).max(1_000_000)
const priority = z.int().min(-100).max(100).exactOptional()
const input = z.record(z.string().max(256), z.string().max(1_000_000)).exactOptional()
const runName = z.string().min(1).max(64).exactOptional()

/** The body of pause, stop, cancel, reset and scrap. */
export interface ControlRequest {
  /** Who requests it, for the journal. */
  readonly by?: string
  /** Why, for the journal. */
  readonly reason?: string
}

export const controlSchema: z.ZodType<ControlRequest> = exactly<ControlRequest>()(
  z.strictObject({ by, reason: z.string().max(10_000).exactOptional() }),
).register(published, { id: 'TellRequest' })

/** The request that resumes a run. */
export interface ResumeRequest {
  readonly by?: string
  /** Resume although the loop's code changed in the middle of an iteration, which then starts over. */
  readonly force?: boolean
  /** Keep the files as they are although a step was interrupted. */
  readonly keepFiles?: boolean
  /** Rewind to the checkpoint after this iteration first. */
  readonly fromIteration?: number
  /** The loop file, if it was moved. An absolute path. */
  readonly file?: string
  /** The folder of the run, if it was moved. An absolute path. */
  readonly workspace?: string
  readonly attended?: boolean
  readonly priority?: number
  /** As in a new run. Never stored. */
  readonly environment?: CallerEnvironment
}

export const resumeSchema: z.ZodType<ResumeRequest> = exactly<ResumeRequest>()(
  z.strictObject({
    by,
    force: z.boolean().exactOptional(),
    keepFiles: z.boolean().exactOptional(),
    fromIteration: iteration.exactOptional(),
    file: path.exactOptional(),
    workspace: path.exactOptional(),
    attended: z.boolean().exactOptional(),
    priority,
    environment: callerEnvironmentSchema.exactOptional(),
  }),
).register(published, { id: 'ResumeRequest' })

/** Starts a new run that retries this one. */
export interface RetryRequest {
  readonly by?: string
  readonly name?: string
  /** From the checkpoint after this iteration. Default: the last one. */
  readonly from?: number
  readonly attended?: boolean
  readonly priority?: number
  /** As in a new run. Never stored. */
  readonly environment?: CallerEnvironment
}

export const retrySchema: z.ZodType<RetryRequest> = exactly<RetryRequest>()(
  z.strictObject({
    by,
    name: runName,
    from: iteration.exactOptional(),
    attended: z.boolean().exactOptional(),
    priority,
    environment: callerEnvironmentSchema.exactOptional(),
  }),
).register(published, { id: 'RetryRequest' })

/** Starts a new run that continues from a checkpoint of this one. */
export interface ForkRequest {
  readonly iteration: number
  readonly by?: string
  readonly name?: string
  /** Another loop file, an absolute path. Default: the one of the original run. */
  readonly file?: string
  readonly input?: Readonly<Record<string, string>>
  readonly limits?: Partial<Limits>
  /** An empty folder for the files of the checkpoint; not needed for a run in a worktree. */
  readonly workspace?: string
  readonly replaceFiles?: boolean
  /** The digest of the loop file to trust. */
  readonly trust?: string
  readonly changes?: {
    readonly model?: string
    readonly prompt?: string
    readonly dependencies?: CertifySettings['dependencies']
  }
  readonly attended?: boolean
  readonly priority?: number
  /** As in a new run. Never stored. */
  readonly environment?: CallerEnvironment
}

export const forkSchema: z.ZodType<ForkRequest> = exactly<ForkRequest>()(
  z.strictObject({
    iteration,
    by,
    name: runName,
    file: path.exactOptional(),
    input,
    limits: someLimitsSchema.exactOptional(),
    workspace: path.exactOptional(),
    replaceFiles: z.boolean().exactOptional(),
    trust: z.string().max(256).exactOptional(),
    changes: z
      .strictObject({
        model: z.string().max(256).exactOptional(),
        prompt: z.string().max(1_000_000).exactOptional(),
        dependencies: dependenciesSchema.exactOptional(),
      })
      .exactOptional(),
    attended: z.boolean().exactOptional(),
    priority,
    environment: callerEnvironmentSchema.exactOptional(),
  }),
).register(published, { id: 'ForkRequest' })

export interface LimitsRequest {
  /** Those of the iteration and of each agent are changed one by one. */
  readonly limits: Partial<Limits>
  /** Why they are changed. */
  readonly reason?: string
  readonly by?: string
}

export const limitsRequestSchema: z.ZodType<LimitsRequest> = exactly<LimitsRequest>()(
  z.strictObject({
    limits: someLimitsSchema,
    reason: z.string().max(10_000).exactOptional(),
    by,
  }),
).register(published, { id: 'LimitsRequest' })

/** An option or a text, or an answer by kind. */
export interface AnswerRequest {
  /** An option or a text; with the kind `respond`, what to tell the agent. */
  readonly answer?: string
  /** The question says which kinds it takes. */
  readonly kind?: AnswerKind
  /** With `edit`: the edited value, in the shape of the proposed one. */
  readonly value?: Json
  /** The code at the end of the full review, if accepting requires it. */
  readonly code?: string
  /** Recorded as claimed; who answers is the identity of the token. */
  readonly by?: string
}

export const answerSchema: z.ZodType<AnswerRequest> = exactly<AnswerRequest>()(
  z.strictObject({
    answer: z.string().max(100_000).exactOptional(),
    kind: answerKindSchema.exactOptional(),
    value: json.exactOptional(),
    code: z.string().max(256).exactOptional(),
    by,
  }),
).register(published, { id: 'AnswerRequest' })

/** What a person tells a run while it works. */
export interface TellRequest {
  readonly text: string
  /** A line of a file that it is about. */
  readonly at?: { readonly file: string; readonly line: number }
  /** Recorded as claimed; who tells it is the identity of the token. */
  readonly by?: string
}

export const tellSchema: z.ZodType<TellRequest> = exactly<TellRequest>()(
  z.strictObject({
    text: z.string().min(1).max(10_000),
    at: z
      .strictObject({
        file: z.string().min(1).max(4096),
        line: z.int().min(1).max(100_000_000),
      })
      .exactOptional(),
    by,
  }),
).register(published, { id: 'GuidanceRequest' })

export interface MergeRequest {
  /** A branch, created if it does not exist. Default: `agent/<loop>`. */
  readonly into?: string
  /** Squash into one commit, or keep all of them. Default: squash. */
  readonly strategy?: 'squash' | 'merge'
  /** Who requests it, for the journal. */
  readonly by?: string
  /** About an earlier merge whose result is unknown: it happened, or is to be done again. */
  readonly earlier?: 'happened' | 'again'
}

export const mergeSchema: z.ZodType<MergeRequest> = exactly<MergeRequest>()(
  z.strictObject({
    into: z.string().min(1).max(256).exactOptional(),
    strategy: z.enum(['squash', 'merge']).exactOptional(),
    by,
    earlier: z.enum(['happened', 'again']).exactOptional(),
  }),
).register(published, { id: 'MergeRequest' })

export interface LandRequest extends Pick<MergeRequest, 'by' | 'earlier'> {
  /** The branch to land on. It must exist, and must not be checked out. */
  readonly onto: string
}

export const landSchema: z.ZodType<LandRequest> = exactly<LandRequest>()(
  z.strictObject({
    onto: z.string().min(1).max(256),
    by,
    earlier: z.enum(['happened', 'again']).exactOptional(),
  }),
).register(published, { id: 'LandRequest' })
