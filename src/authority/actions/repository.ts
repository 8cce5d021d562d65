/** Executors that change a repository on this machine: merge, commit, apply-patch. git itself is behind a port. */

import { z } from 'zod'
import type { ActionContext, Actions } from '../../engine/index.ts'
import { plural } from '../../loop/excerpt/plural.ts'
import { defined, FaultError, type Rework, type TreeId } from '../../loop/index.ts'
import { done, failed, found, indefinite, notDone, readDetails, unknown } from './executor.ts'

/** The repository of a run. Its methods use exactly the tree that they are given, or reject with `FaultError`. */
export interface ActionRepository {
  merge(request: MergeRequest): Promise<MergeOutcome>
  /** The commit with this key on the branch. */
  findMerge(
    request: Pick<MergeRequest, 'key' | 'into'>,
  ): Promise<{ readonly target: string; readonly commit: string } | undefined>
  commit(request: CommitWorkRequest): Promise<CommittedBranch>
  findCommit(
    request: Pick<CommitWorkRequest, 'key' | 'branch'>,
  ): Promise<CommittedBranch | undefined>
  /** Resolves with the changed paths. */
  apply(request: TreePair & { readonly fence: Fence }): Promise<readonly string[]>
  /** Whether the checkout has the files of the work (`done`), of the base (`not-done`), or others. */
  findApplied(trees: TreePair): Promise<'done' | 'not-done' | 'unknown'>
  /** Pushes the branch of the run. */
  push(request: {
    readonly remote: string
    readonly tree: TreeId
    readonly fence: Fence
  }): Promise<PushedBranch>
  /** `host/owner/name`, for `gh`. */
  slugOf(remote: string): Promise<string>
  /** The branch that the run began from. */
  readonly baseBranch: string
  /** The branch of the run. */
  readonly branch: string
  /** For messages: the loop and the run. */
  readonly title: string
}

/** E10. Called immediately before a ref moves; an error prevents it. */
export type Fence = ActionContext['fence']

interface Keyed {
  readonly key: string
  readonly tree: TreeId
  readonly fence: Fence
}

export interface MergeRequest extends Keyed {
  readonly into?: string
  readonly strategy: 'squash' | 'merge'
  /** Merged files may have to be certified, which can take a while and cost something. */
  readonly context: Pick<ActionContext, 'signal' | 'spend' | 'reserve'>
}

export type MergeOutcome =
  | {
      readonly status: 'merged'
      readonly target: string
      readonly commit: string
      /** Of the merged files. Absent: they are those of the run. */
      readonly certificate?: string
    }
  | { readonly status: 'nothing'; readonly target: string }
  /** The work has to change first. `files` is empty if both together do not pass the checks. */
  | {
      readonly status: 'conflict'
      readonly target: string
      readonly files: readonly string[]
      readonly reason: string
      readonly rework: Rework
    }
  | { readonly status: 'failed'; readonly target: string; readonly reason: string }

export interface CommitWorkRequest extends Keyed {
  readonly branch?: string
  readonly message?: string
}

export interface CommittedBranch {
  readonly branch: string
  readonly commit: string
}

export interface TreePair {
  readonly base: TreeId
  readonly tree: TreeId
}

export interface PushedBranch {
  readonly remote: string
  readonly branch: string
  readonly commit: string
}

/** Work that changed since it was certified is not acted on. */
export function requireCertifiedTree({ tree, certificate }: ActionContext): TreeId {
  if (tree === undefined) throw failed('The run has no workspace.')
  if (certificate === undefined) throw failed('The current files of the run are not certified.')
  return tree
}

const mergeSchema = z.object({
  into: z.string().exactOptional(),
  strategy: z.enum(['squash', 'merge', 'none']).prefault('squash'),
})

export function mergeExecutor(repository: ActionRepository): Actions {
  return {
    async perform(action, key, context) {
      const { strategy, ...settings } = readDetails(mergeSchema, action)
      if (strategy === 'none') return { status: 'skipped', summary: 'not merged: strategy none' }
      const tree = requireCertifiedTree(context)
      const { fence } = context
      const request = { ...settings, strategy, key, tree, fence, context }
      const result = await indefinite(() => repository.merge(request))
      if (result.status === 'conflict') throw needsWork(result)
      if (result.status === 'failed') throw failed(result.reason)
      const { target } = result
      if (result.status === 'nothing') return done(`${target} has all of it already`, { target })
      const { commit, certificate } = result
      return done(`merged into ${target}`, { target, commit, ...defined({ certificate }) })
    },
    async find(action, key) {
      const { into } = readDetails(mergeSchema, action)
      const merged = await repository.findMerge({ key, ...(into === undefined ? {} : { into }) })
      return merged === undefined ? notDone : found(`merged into ${merged.target}`, { ...merged })
    },
  }
}

/** Tells the agent of the next iteration what happened. */
function needsWork({
  target,
  files,
  reason,
  rework,
}: Extract<MergeOutcome, { status: 'conflict' }>): FaultError {
  const advice =
    files.length === 0
      ? `The files now contain the changes of ${target}. Make the checks pass with both.`
      : `The files now contain the changes of ${target}. Resolve the conflicts, which are marked with <<<<<<< and >>>>>>>.`
  const message = `The work could not be merged into ${target}. ${reason} ${advice}`
  return new FaultError({ code: 'needs-work', message, retryable: false, rework })
}

const commitSchema = z.object({
  branch: z.string().exactOptional(),
  message: z.string().exactOptional(),
})

export function commitExecutor(repository: ActionRepository): Actions {
  return {
    async perform(action, key, context) {
      const settings = readDetails(commitSchema, action)
      const tree = requireCertifiedTree(context)
      const made = await indefinite(() =>
        repository.commit({ ...settings, key, tree, fence: context.fence }),
      )
      return done(`committed to ${made.branch}`, { ...made })
    },
    async find(action, key) {
      const { branch } = readDetails(commitSchema, action)
      const made = await repository.findCommit({ key, ...(branch === undefined ? {} : { branch }) })
      return made === undefined ? notDone : found(`committed to ${made.branch}`, { ...made })
    },
  }
}

/** Found by comparing files: a checkout cannot hold a key. */
export function applyPatchExecutor(repository: ActionRepository): Actions {
  const treesOf = (context: ActionContext): TreePair => {
    const { base } = context
    if (base === undefined) throw failed('The base of the run is unknown.')
    return { base, tree: requireCertifiedTree(context) }
  }
  return {
    async perform(_action, _key, context) {
      const files = await indefinite(() =>
        repository.apply({ ...treesOf(context), fence: context.fence }),
      )
      return done(`applied changes to ${plural(files.length, 'file')}`, {
        files: files.slice(0, 100),
      })
    },
    async find(_action, _key, context) {
      const state = await repository.findApplied(treesOf(context))
      if (state === 'done') return found('the checkout has the changes')
      return state === 'not-done' ? notDone : unknown
    },
  }
}
