/** What runs changed in git: diffs, merges and worktrees. */

import { z } from 'zod'
import type { RunId, TreeId } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, id, published } from '../values.ts'
import type { Run } from './run.ts'
import { runStatusSchema } from './run-status.ts'

const text = z.string()
const texts = z.array(text).readonly()

/** Same shape as the host's `RunDiff`. */
export interface Diff {
  readonly run: Pick<Run, 'id' | 'name'>
  readonly before: TreeId
  readonly after: TreeId
  /** Line counts per file; absent for binary files. */
  readonly files: readonly {
    readonly path: string
    readonly added?: number
    readonly removed?: number
  }[]
  /** Files in the worktree that no commit contains although they were not ignored at the start. */
  readonly leftOut: readonly string[]
  /** Cut off at 4 MiB; only if it was requested. */
  readonly patch?: string
}

const runName = z.strictObject({ id: id<RunId>(), name: text })

export const diffSchema: z.ZodType<Diff> = exactly<Diff>()(
  z.strictObject({
    run: runName,
    before: id<TreeId>(),
    after: id<TreeId>(),
    files: z
      .array(
        z.strictObject({
          path: text,
          added: count.exactOptional(),
          removed: count.exactOptional(),
        }),
      )
      .readonly(),
    leftOut: texts,
    patch: text.exactOptional(),
  }),
).register(published, { id: 'Diff' })

/** Same shape as the host's `MergeResult`; a conflict is a problem response (409, with `conflict`). */
export type MergeResponse =
  | {
      readonly status: 'merged'
      readonly target: string
      readonly commit: string
      /** Of the merged files. Absent: they are those that the run was certified with. */
      readonly certificate?: string
    }
  /** The target already contains all of it. */
  | { readonly status: 'nothing'; readonly target: string }

export const mergedSchema: z.ZodType<MergeResponse> = z
  .discriminatedUnion('status', [
    z.strictObject({
      status: z.literal('merged'),
      target: text,
      commit: text,
      certificate: text.exactOptional(),
    }),
    z.strictObject({ status: z.literal('nothing'), target: text }),
  ])
  .register(published, { id: 'Merged' })

/** Same shape as the host's `RunWorktreeEntry`. */
export interface Worktree {
  readonly repository: string
  readonly branch: string
  readonly path: string
  /** Absent: it belongs to no run in this journal. */
  readonly run?: WorktreeRun
  /** The folder exists, is missing, was pruned by git, or is not one of ours. */
  readonly status: 'there' | 'missing' | 'pruned' | 'not-ours'
  readonly size: { readonly files: number; readonly bytes: number; readonly isPartial: boolean }
  readonly state: {
    readonly branch: 'gone' | 'empty' | 'merged' | 'unmerged'
    readonly unmerged?: string
    /** Paths that no commit contains. */
    readonly uncommitted: readonly string[]
    readonly locked?: string
  }
  readonly createdAtMs: number
}

export type WorktreeRun = Pick<Run, 'id' | 'name' | 'status' | 'held' | 'interrupted'>

const worktreeRun = z.strictObject({
  id: id<RunId>(),
  name: text,
  status: runStatusSchema,
  held: z.boolean(),
  interrupted: z.boolean(),
})

export const worktreeEntrySchema: z.ZodType<Worktree> = exactly<Worktree>()(
  z.strictObject({
    repository: text,
    branch: text,
    path: text,
    run: worktreeRun.exactOptional(),
    status: z.enum(['there', 'missing', 'pruned', 'not-ours']),
    size: z.strictObject({ files: count, bytes: count, isPartial: z.boolean() }),
    state: z.strictObject({
      branch: z.enum(['gone', 'empty', 'merged', 'unmerged']),
      unmerged: text.exactOptional(),
      uncommitted: texts,
      locked: text.exactOptional(),
    }),
    createdAtMs: z.number(),
  }),
).register(published, { id: 'Worktree' })

/** Same shape as the host's `CleanedWorktree`. */
export type CleanedWorktree = Pick<Worktree, 'repository' | 'branch' | 'path' | 'run'> &
  (
    | { readonly status: 'removed'; readonly branchKept?: string }
    | { readonly status: 'kept'; readonly why: string }
  )

const cleanedFields = {
  repository: text,
  branch: text,
  path: text,
  run: worktreeRun.exactOptional(),
}

export const cleanedWorktreeSchema: z.ZodType<CleanedWorktree> = z
  .discriminatedUnion('status', [
    z.strictObject({
      ...cleanedFields,
      status: z.literal('removed'),
      branchKept: text.exactOptional(),
    }),
    z.strictObject({ ...cleanedFields, status: z.literal('kept'), why: text }),
  ])
  .register(published, { id: 'CleanedWorktree' })
