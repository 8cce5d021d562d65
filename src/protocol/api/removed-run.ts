/** A run that was removed from the journal, and what happened to its worktree. */

import { z } from 'zod'
import type { RunId } from '../../loop/index.ts'
import { count, id, published } from '../values.ts'
import type { Run } from './run.ts'
import { runStatusSchema } from './run-status.ts'

const text = z.string()

/** Same shape as the host's `WorktreeRemoval`. */
export type WorktreeRemovalResponse =
  | { readonly status: 'unknown' }
  | { readonly status: 'kept'; readonly path: string; readonly why: string }
  | {
      readonly status: 'removed'
      readonly path: string
      readonly branch: string
      readonly branchKept?: string
    }
  | { readonly status: 'branch-left'; readonly branch: string; readonly branchKept?: string }
  | { readonly status: 'failed'; readonly why: string }

export const worktreeRemovedSchema: z.ZodType<WorktreeRemovalResponse> = z
  .discriminatedUnion('status', [
    z.strictObject({ status: z.literal('unknown') }),
    z.strictObject({ status: z.literal('kept'), path: text, why: text }),
    z.strictObject({
      status: z.literal('removed'),
      path: text,
      branch: text,
      branchKept: text.exactOptional(),
    }),
    z.strictObject({
      status: z.literal('branch-left'),
      branch: text,
      branchKept: text.exactOptional(),
    }),
    z.strictObject({ status: z.literal('failed'), why: text }),
  ])
  .register(published, { id: 'WorktreeRemoved' })

/** Same shape as the host's `RemovedRun`. */
export interface RunRemovalResponse extends Run {
  readonly worktree?: WorktreeRemovalResponse
}

export const runRemovedSchema: z.ZodType<RunRemovalResponse> = z
  .strictObject({
    id: id<RunId>(),
    name: text,
    loop: text,
    status: runStatusSchema,
    iteration: count,
    workspace: text.exactOptional(),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
    lastSeq: count,
    held: z.boolean(),
    interrupted: z.boolean(),
    worktree: worktreeRemovedSchema.exactOptional(),
  })
  .register(published, { id: 'RunRemoved' })
