/** What a client says to have a loop run by the daemon: the body of `POST /runs`. */

import { z } from 'zod'
import type { CertifySettings } from '../loop-file.ts'
import { dependenciesSchema, someLimitsSchema } from '../run-values.ts'
import { pathText as path, published } from '../values.ts'
import { type CallerEnvironment, callerEnvironmentSchema } from './caller-environment.ts'
import {
  type AskedWorktree,
  askedWorktreeSchema,
  type RunSettings,
  runSettingsSchema,
} from './run-settings.ts'

export const newRunSchema: z.ZodType<NewRunRequest> = z
  .strictObject({
    /** The loop file, as a whole path on the daemon's machine. */
    file: path,
    /** The folder to work in; as the file says unless told. A whole path. */
    workspace: path.exactOptional(),
    here: path.exactOptional(),
    name: z.string().min(1).max(64).exactOptional(),
    input: z.record(z.string().max(256), z.string().max(1_000_000)).exactOptional(),
    limits: someLimitsSchema.exactOptional(),
    worktree: askedWorktreeSchema.exactOptional(),
    changes: z
      .strictObject({
        model: z.string().max(256).exactOptional(),
        prompt: z.string().max(1_000_000).exactOptional(),
        dependencies: dependenciesSchema.exactOptional(),
      })
      .exactOptional(),
    again: z.boolean().exactOptional(),
    attended: z.boolean().exactOptional(),
    skipPreflight: z.boolean().exactOptional(),
    needsChoice: z.boolean().exactOptional(),
    trust: z.string().max(256).exactOptional(),
    priority: z.int().min(-100).max(100).exactOptional(),
    by: z.string().max(256).exactOptional(),
    settings: runSettingsSchema.exactOptional(),
    environment: callerEnvironmentSchema.exactOptional(),
  })
  .register(published, { id: 'NewRunRequest' })

/** The request that starts a run. */
export interface NewRunRequest {
  /** The loop file, as a whole path on the daemon's machine. */
  readonly file: string
  /** The folder to work in, a whole path; as the file says unless told. */
  readonly workspace?: string
  /** The folder that whoever asks is in, a whole path: worked in where neither says which. */
  readonly here?: string
  readonly name?: string
  /** Values for the template in place of those of the file. */
  readonly input?: Readonly<Record<string, string>>
  readonly limits?: NewRunLimits
  /** In the place of what the file says. */
  readonly worktree?: AskedWorktree
  /** What is put in the place of what the file says. */
  readonly changes?: {
    readonly model?: string
    readonly prompt?: string
    readonly dependencies?: CertifySettings['dependencies']
  }
  /** E8. Also what was tried before with the very same files and words. */
  readonly again?: boolean
  /** Somebody watches, and answers for what happens without strong walls. */
  readonly attended?: boolean
  /** Reject with `needs-in-place` where the folder itself would be changed and `worktree.use` does not say so. */
  readonly needsChoice?: boolean
  /** Begin without trying the checks on the base first. */
  readonly skipPreflight?: boolean
  /** The digest of the loop file that is trusted herewith, as `not-trusted` names it. */
  readonly trust?: string
  /** Higher goes first where the queue is by priority; 0 unless told. */
  readonly priority?: number
  /** Who asks for it, for the record. */
  readonly by?: string
  /** The settings that hold where it is asked for; those of the daemon unless told. */
  readonly settings?: RunSettings
  /** PATH, locale and the variables that the loop needs, by name. Never written down. */
  readonly environment?: CallerEnvironment
}

type NewRunLimits = z.infer<typeof someLimitsSchema>
