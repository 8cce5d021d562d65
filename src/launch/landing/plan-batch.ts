/** Merges several requests one after the other, in memory. No branch moves. */

import type { MergeChange, MergeRow } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import type { Landings } from '../../workspace/index.ts'
import { type Candidate, trailer } from './landing.ts'

export interface Batch {
  /** The commit of the target when the batch was planned. Undefined: it does not exist. */
  readonly tip: string | undefined
  /** The requests that are merged, each on top of the one before. */
  readonly merged: readonly MergedRow[]
  /** What the target would point at. Undefined: nothing was merged. */
  readonly candidate: Candidate | undefined
  /** Requests that need no merge, or have a conflict with the target itself. */
  readonly settled: readonly MergeChange[]
}

export interface MergedRow {
  readonly row: MergeRow
  readonly commit: string
}

/** Requests that conflict with another one of the batch are left for a later batch. */
export async function planBatch(git: Landings, rows: readonly MergeRow[]): Promise<Batch> {
  const [first] = rows
  if (first === undefined) return { tip: undefined, merged: [], candidate: undefined, settled: [] }
  const tip = await git.tip(first.target)
  const onto = tip ?? first.base
  const base = await git.treeOf(onto)
  const merged: MergedRow[] = []
  const settled: MergeChange[] = []
  let tree = base
  for (const row of rows) {
    const result = await git.merge(merged.at(-1)?.commit ?? onto, row)
    if (result.type === 'merged') {
      merged.push({ row, commit: result.commit })
      tree = result.tree
    } else if (merged.length === 0) {
      settled.push(await settle(git, row, result, { onto, base }))
    }
  }
  const commit = merged.at(-1)?.commit
  const candidate = commit === undefined ? undefined : { tree, commit, onto, base }
  return { tip, merged, candidate, settled }
}

type NotMerged = Exclude<Awaited<ReturnType<Landings['merge']>>, { type: 'merged' }>

async function settle(
  git: Landings,
  row: MergeRow,
  result: NotMerged,
  { onto, base }: { readonly onto: string; readonly base: TreeId },
): Promise<MergeChange> {
  const { key, target, branch } = row
  if (result.type === 'unrelated') {
    const reason = `${branch} and ${target} have no common history. Merge into another branch.`
    return { key, progress: { state: 'failed', reason } }
  }
  if (result.type === 'conflict') {
    const { files, tree } = result
    const reason = `It conflicts with ${target} in ${files.join(', ')}.`
    const conflict = { files, onto, base, tree }
    return { key, progress: { state: 'conflict', reason, conflict } }
  }
  // A process that lost the line may have merged it just before.
  const commit = await git.find(target, row.base, trailer(key))
  const found = commit === undefined ? {} : { commit }
  return { key, progress: { state: 'merged', tree: result.tree, ...found } }
}
