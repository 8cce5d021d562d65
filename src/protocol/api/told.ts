/** What a client says to a run that is there: the bodies of `POST /runs/{run}/…`. */

import { z } from 'zod'
import type { Limits } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import type { CertifySettings } from '../loop-file.ts'
import { dependenciesSchema, someLimitsSchema } from '../run-values.ts'
import { pathText as path, published } from '../values.ts'
import { type CallerEnvironment, callerEnvironmentSchema } from './caller-environment.ts'

const by = z.string().min(1).max(256).exactOptional()
const iteration = z.int().min(0).max(1_000_000)
const priority = z.int().min(-100).max(100).exactOptional()
const input = z.record(z.string().max(256), z.string().max(1_000_000)).exactOptional()
const runName = z.string().min(1).max(64).exactOptional()

/** Of pause, stop and cancel, of reset and scrap. */
export interface TellRequest {
  /** Who says so, for the record. */
  readonly by?: string
  /** Why, for the record. */
  readonly reason?: string
}

export const tellSchema: z.ZodType<TellRequest> = exactly<TellRequest>()(
  z.strictObject({ by, reason: z.string().max(10_000).exactOptional() }),
).register(published, { id: 'TellRequest' })

/** The request that resumes a run. */
export interface ResumeRequest {
  readonly by?: string
  /** Go on though the loop's code changed in the middle of an iteration, which starts anew. */
  readonly force?: boolean
  /** Go on with the files as they are, though a step was cut short. */
  readonly keepFiles?: boolean
  /** Go back to the checkpoint after this iteration first. */
  readonly fromIteration?: number
  readonly attended?: boolean
  readonly priority?: number
  /** As of a new run. Never written down. */
  readonly environment?: CallerEnvironment
}

export const resumeSchema: z.ZodType<ResumeRequest> = exactly<ResumeRequest>()(
  z.strictObject({
    by,
    force: z.boolean().exactOptional(),
    keepFiles: z.boolean().exactOptional(),
    fromIteration: iteration.exactOptional(),
    attended: z.boolean().exactOptional(),
    priority,
    environment: callerEnvironmentSchema.exactOptional(),
  }),
).register(published, { id: 'ResumeRequest' })

/** A run of its own that does again what this one was to do. */
export interface RetryRequest {
  readonly by?: string
  readonly name?: string
  /** From the checkpoint after this iteration; the last one unless told. */
  readonly from?: number
  readonly attended?: boolean
  readonly priority?: number
  /** As of a new run. Never written down. */
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

/** A run of its own that goes on from a checkpoint of this one. */
export interface ForkRequest {
  readonly iteration: number
  readonly by?: string
  readonly name?: string
  /** Another loop file, a whole path; that of the other run unless told. */
  readonly file?: string
  readonly input?: Readonly<Record<string, string>>
  readonly limits?: Partial<Limits>
  /** An empty folder for the files of the checkpoint; a run in a worktree needs none. */
  readonly workspace?: string
  readonly replaceFiles?: boolean
  /** The digest of the loop file that is trusted herewith. */
  readonly trust?: string
  readonly changes?: {
    readonly model?: string
    readonly prompt?: string
    readonly dependencies?: CertifySettings['dependencies']
  }
  readonly attended?: boolean
  readonly priority?: number
  /** As of a new run. Never written down. */
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
  readonly limits: Partial<Limits>
  readonly by?: string
}

export const limitsRequestSchema: z.ZodType<LimitsRequest> = exactly<LimitsRequest>()(
  z.strictObject({ limits: someLimitsSchema, by }),
).register(published, { id: 'LimitsRequest' })

export interface AnswerRequest {
  readonly answer: string
  readonly by?: string
}

export const answerSchema: z.ZodType<AnswerRequest> = exactly<AnswerRequest>()(
  z.strictObject({ answer: z.string().max(100_000), by }),
).register(published, { id: 'AnswerRequest' })

export interface MergeRequest {
  /** A branch; `agent/<loop>` unless told. It is made if it is not there. */
  readonly into?: string
  /** One commit, or all of them; one unless told. */
  readonly strategy?: 'squash' | 'merge'
  /** Who says so, for the record. */
  readonly by?: string
}

export const mergeSchema: z.ZodType<MergeRequest> = exactly<MergeRequest>()(
  z.strictObject({
    into: z.string().min(1).max(256).exactOptional(),
    strategy: z.enum(['squash', 'merge']).exactOptional(),
    by,
  }),
).register(published, { id: 'MergeRequest' })
