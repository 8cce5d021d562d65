/** Compares the files before and after a run, or one of its iterations. */

import { type RunRow, readCreated } from '../engine/index.ts'
import { defined, LoopError, type TreeId } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { leftOutOf, repositoryOf } from '../runs/place-run.ts'
import { type FileChange, openGitTrees } from '../workspace/index.ts'
import { createTreeStore } from '../workspace/tree-store.ts'
import { readRecording } from './recording.ts'

/** What a run changed. Returned by `host.diff`. */
export interface RunDiff {
  readonly run: Pick<RunRow, 'id' | 'name'>
  readonly before: TreeId
  readonly after: TreeId
  /** Binary files have no line counts. */
  readonly files: readonly FileChange[]
  /** For a worktree: files that are in no commit, although nothing ignored them at first. */
  readonly leftOut: readonly string[]
  /** Cut off at 4 MiB; absent with `stat`. */
  readonly patch?: string
}

export interface DiffOptions {
  /** Default: the whole run. */
  readonly iteration?: number
  /** Without the patch. */
  readonly stat?: boolean
}

type DiffPorts = Pick<HostPorts, 'folder' | 'journal' | 'blobs'>

export async function diffRun(
  base: DiffPorts,
  idOrName: string,
  { iteration, stat = false }: DiffOptions = {},
): Promise<RunDiff> {
  const run = await base.journal.findRun(idOrName)
  const { before, after } = await findTrees(base, run, iteration)
  const trees = createTreeStore(base)
  const { files, patch } = await trees.compare(before, after, { patch: !stat })
  const { id, name } = run
  const { worktree } = await readCreated(base.journal, id)
  const leftOut = worktree === undefined ? [] : await leftOutOf(worktree)
  return {
    run: { id, name },
    before,
    after,
    files,
    leftOut,
    ...defined({ patch }),
  }
}

interface TreePair {
  readonly before: TreeId
  readonly after: TreeId
}

async function findTrees(
  base: DiffPorts,
  run: RunRow,
  wanted: number | undefined,
): Promise<TreePair> {
  const { iterations, state } = await readRecording(base, run.id)
  if (wanted !== undefined) {
    const found = iterations.get(wanted)
    if (found === undefined) {
      const message = `Run "${run.name}" has no iteration ${wanted}. List its iterations: loopctl inspect ${run.name}`
      throw new LoopError('unknown-checkpoint', message)
    }
    const after = found.treeAfter ?? state.tree
    if (found.treeBefore === undefined || after === undefined) throw createNoFilesError(run)
    return { before: found.treeBefore, after }
  }
  const [first] = iterations.values()
  const created = await readCreated(base.journal, run.id)
  const before = (await findBaseTree(created)) ?? first?.treeBefore ?? created.tree
  const after = state.tree ?? before
  if (before === undefined || after === undefined) throw createNoFilesError(run)
  return { before, after }
}

/** The base of its branch, whatever was in its folder. */
async function findBaseTree({
  worktree,
}: Awaited<ReturnType<typeof readCreated>>): Promise<TreeId | undefined> {
  if (worktree === undefined) return undefined
  const repository = await repositoryOf(worktree)
  return openGitTrees(repository).resolveTree(worktree.base.commit)
}

const createNoFilesError = ({ name }: RunRow): LoopError =>
  new LoopError('bad-request', `Run "${name}" has no files, so there is nothing to compare.`)
