/** The body of `POST /runs`: a request to run a loop. */

import { z } from 'zod'
import type { OutsideDigests } from '../../loop/index.ts'
import { type MergeChange, mergeChangeSchema, outsideSchema } from '../events/event-parts.ts'
import type { CertifySettings } from '../loop-file/loop-file.ts'
import { dependenciesSchema, someLimitsSchema } from '../run-values.ts'
import { pathText as path, published } from '../values.ts'
import { type CallerEnvironment, callerEnvironmentSchema } from './caller-environment.ts'
import {
  type RunSettings,
  runSettingsSchema,
  type WorktreeOverrides,
  worktreeOverridesSchema,
} from './run-settings.ts'

export const newRunSchema: z.ZodType<NewRunRequest> = z
  .strictObject({
    /** The loop file, as an absolute path on the daemon's machine. */
    file: path,
    /** The folder to work in, an absolute path. Default: as the file says. */
    workspace: path.exactOptional(),
    here: path.exactOptional(),
    name: z.string().min(1).max(64).exactOptional(),
    input: z.record(z.string().max(256), z.string().max(1_000_000)).exactOptional(),
    limits: someLimitsSchema.exactOptional(),
    worktree: worktreeOverridesSchema.exactOptional(),
    changes: z
      .strictObject({
        model: z.string().max(256).exactOptional(),
        prompt: z.string().max(1_000_000).exactOptional(),
        dependencies: dependenciesSchema.exactOptional(),
        merge: mergeChangeSchema.exactOptional(),
      })
      .exactOptional(),
    again: z.boolean().exactOptional(),
    outside: outsideSchema.exactOptional(),
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
  /** The loop file, as an absolute path on the daemon's machine. */
  readonly file: string
  /** The folder to work in, an absolute path. Default: as the file says. */
  readonly workspace?: string
  /** The caller's current directory, an absolute path: the workspace if neither of the two names one. */
  readonly here?: string
  readonly name?: string
  /** Values for the template; they override those of the file. */
  readonly input?: Readonly<Record<string, string>>
  readonly limits?: NewRunLimits
  /** Overrides the file. */
  readonly worktree?: WorktreeOverrides
  /** Overrides the file. */
  readonly changes?: {
    readonly model?: string
    readonly prompt?: string
    readonly dependencies?: CertifySettings['dependencies']
    /** Where finished work is merged. */
    readonly merge?: MergeChange
  }
  /** E8. Run even if this exact attempt was already made. */
  readonly again?: boolean
  /** E8. Digests of what the run depends on besides its files, by name: if one changes, it is a new attempt. */
  readonly outside?: OutsideDigests
  /** Someone is watching; allow a weaker sandbox. */
  readonly attended?: boolean
  /** Reject with `needs-in-place` where the folder itself would be changed and `worktree.use` does not say so. */
  readonly needsChoice?: boolean
  /** Start without running the checks on the base first. */
  readonly skipPreflight?: boolean
  /** The digest of the loop file to trust, as the `not-trusted` problem reports it. */
  readonly trust?: string
  /** Higher runs first if the queue policy is `priority`. Default: 0. */
  readonly priority?: number
  /** Who requests it, for the journal. */
  readonly by?: string
  /** The caller's settings. Default: those of the daemon. */
  readonly settings?: RunSettings
  /** PATH, locale and the variables that the loop needs, by name. Never stored. */
  readonly environment?: CallerEnvironment
}

type NewRunLimits = z.infer<typeof someLimitsSchema>
