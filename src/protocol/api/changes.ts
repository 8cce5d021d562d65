/** What runs made in git: differences, merges, worktrees, requests to pull. */

import { z } from 'zod'
import type { RunId, TreeId } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, id, published } from '../values.ts'
import type { Run } from './run.ts'
import { runStatusSchema } from './run-status.ts'

const text = z.string()
const texts = z.array(text).readonly()

/** The same as the host's `RunDiff`. */
export interface Diff {
  readonly run: Pick<Run, 'id' | 'name'>
  readonly before: TreeId
  readonly after: TreeId
  /** Lines of each file; binary ones have none. */
  readonly files: readonly {
    readonly path: string
    readonly added?: number
    readonly removed?: number
  }[]
  /** What lies in the worktree now and is in no commit, though nothing ignored it at first. */
  readonly leftOut: readonly string[]
  /** Cut off at 4 MiB; absent where it was not asked for. */
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

/** The same as the host's `MergeResult`; a conflict is a problem (409, with `conflict`). */
export type Merged =
  | { readonly status: 'merged'; readonly target: string; readonly commit: string }
  /** All of it is there already. */
  | { readonly status: 'nothing'; readonly target: string }

export const mergedSchema: z.ZodType<Merged> = z
  .discriminatedUnion('status', [
    z.strictObject({ status: z.literal('merged'), target: text, commit: text }),
    z.strictObject({ status: z.literal('nothing'), target: text }),
  ])
  .register(published, { id: 'Merged' })

/** The same as the host's `RunWorktreeEntry`. */
export interface Worktree {
  readonly repository: string
  readonly branch: string
  readonly path: string
  /** Absent: no run of this record has it. */
  readonly run?: WorktreeRun
  /** The folder is there, gone, forgotten by git, or something else is in its place. */
  readonly status: 'there' | 'missing' | 'pruned' | 'not-ours'
  readonly size: { readonly files: number; readonly bytes: number; readonly isPartial: boolean }
  readonly state: {
    readonly branch: 'gone' | 'empty' | 'merged' | 'unmerged'
    readonly unmerged?: string
    /** Paths that are in no commit. */
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

/** The same as the host's `CleanedWorktree`. */
export type CleanedWorktree = Pick<Worktree, 'repository' | 'branch' | 'path' | 'run'> &
  (
    | { readonly status: 'removed'; readonly branchKept?: string }
    | { readonly status: 'kept'; readonly why: string }
  )

const cleanedAt = {
  repository: text,
  branch: text,
  path: text,
  run: worktreeRun.exactOptional(),
}

export const cleanedWorktreeSchema: z.ZodType<CleanedWorktree> = z
  .discriminatedUnion('status', [
    z.strictObject({
      ...cleanedAt,
      status: z.literal('removed'),
      branchKept: text.exactOptional(),
    }),
    z.strictObject({ ...cleanedAt, status: z.literal('kept'), why: text }),
  ])
  .register(published, { id: 'CleanedWorktree' })
