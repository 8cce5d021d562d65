/** What a run changed, or one of its iterations, for people and for programs. */

import { type RunRow, readCreated } from '../engine/index.ts'
import { defined, LoopError, type TreeId } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { leftOutOf, repositoryOf } from '../runs/place-run.ts'
import { type FileChange, openGitTrees } from '../workspace/index.ts'
import { createTreeDoor } from '../workspace/tree-store.ts'
import { readRecording } from './recording.ts'

/** What a run changed. Returned by `host.diff`. */
export interface RunDiff {
  readonly run: Pick<RunRow, 'id' | 'name'>
  readonly before: TreeId
  readonly after: TreeId
  /** Lines of each file; binary ones have none. */
  readonly files: readonly FileChange[]
  /** Of a run in a worktree: what lies there now and is in no commit, though nothing ignored it at first. */
  readonly leftOut: readonly string[]
  /** Cut off at 4 MiB; absent where it was not asked for. */
  readonly patch?: string
}

export interface DiffOptions {
  /** One iteration; all of the run unless told. */
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
  const { before, after } = await treesOf(base, run, iteration)
  const door = createTreeDoor(base)
  const { files, patch } = await door.compare(before, after, { patch: !stat })
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

interface Ends {
  readonly before: TreeId
  readonly after: TreeId
}

async function treesOf(base: DiffPorts, run: RunRow, wanted: number | undefined): Promise<Ends> {
  const { iterations, state } = await readRecording(base, run.id)
  if (wanted !== undefined) {
    const found = iterations.get(wanted)
    if (found === undefined) {
      const message = `Run "${run.name}" has no iteration ${wanted}. See which it has: loopctl inspect ${run.name}`
      throw new LoopError('unknown-checkpoint', message)
    }
    const after = found.treeAfter ?? state.tree
    if (found.treeBefore === undefined || after === undefined) throw noFiles(run)
    return { before: found.treeBefore, after }
  }
  const [first] = iterations.values()
  const created = await readCreated(base.journal, run.id)
  const before = (await begunWith(created)) ?? first?.treeBefore ?? created.tree
  const after = state.tree ?? before
  if (before === undefined || after === undefined) throw noFiles(run)
  return { before, after }
}

/** What its branch adds to is what its branch began with, whatever was found in its folder. */
async function begunWith({
  worktree,
}: Awaited<ReturnType<typeof readCreated>>): Promise<TreeId | undefined> {
  if (worktree === undefined) return undefined
  const repository = await repositoryOf(worktree)
  return openGitTrees(repository).treeOf(worktree.base.commit)
}

const noFiles = ({ name }: RunRow): LoopError =>
  new LoopError(
    'bad-request',
    `Run "${name}" has not looked at any files. There is nothing to compare.`,
  )
