/** Removes one worktree, given its path, its branch or its run. */

import { realpathSync } from 'node:fs'
import { readCreated } from '../../engine/index.ts'
import { defined, isEnd, LoopError } from '../../loop/index.ts'
import { repositoryOf } from '../../runs/place-run.ts'
import type { Runs } from '../../runs/runs.ts'
import type { CleanedWorktree, RunWorktreeEntry } from '../../runs/worktrees-of-runs.ts'
import { removeWorktree } from '../../workspace/index.ts'

export interface RemoveWorktreeChoice {
  /** The folder, its branch, or the run that works in it. */
  readonly worktree: string
  /** A folder in its repository, if no run in the journal has it. */
  readonly repository?: string
  /** Remove it even if it contains work that is in no commit. The run must have ended in any case. */
  readonly force?: boolean
}

export async function removeRunWorktree(
  host: Pick<Runs, 'journal' | 'worktrees'>,
  { worktree, repository, force = false }: RemoveWorktreeChoice,
): Promise<CleanedWorktree> {
  const entry = await find(host, worktree, repository)
  const { run, branch, path } = entry
  const at = { repository: entry.repository, branch, path, ...defined({ run }) }
  if (run === undefined)
    return { ...at, status: 'kept', why: 'its run is not in this state folder' }
  if (!isEnd(run.status) || run.held) {
    const message = `Run "${run.name}" works in ${path}, and has not ended (${run.status}).`
    throw new LoopError('wrong-status', `${message} End it first: loopctl cancel ${run.name}`)
  }
  const created = await readCreated(host.journal, run.id)
  if (created.worktree === undefined) throw unknown(worktree)
  const removed = await removeWorktree({
    repository: await repositoryOf(created.worktree),
    key: created.worktree.key,
    path,
    discard: force,
  })
  if (removed.status === 'kept') return { ...at, status: 'kept', why: removed.why }
  const kept = removed.status === 'removed' ? removed.branchKept : undefined
  return { ...at, status: 'removed', ...defined({ branchKept: kept }) }
}

async function find(
  host: Pick<Runs, 'worktrees'>,
  wanted: string,
  repository: string | undefined,
): Promise<RunWorktreeEntry> {
  const entries = await host.worktrees(defined({ repository }))
  const real = realOf(wanted)
  const found = entries.find(
    ({ path, branch, run }) =>
      path === real || branch === wanted || run?.name === wanted || run?.id === wanted,
  )
  if (found !== undefined) return found
  throw unknown(wanted)
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const unknown = (worktree: string): LoopError =>
  new LoopError(
    'unknown-file',
    `No run has the worktree ${JSON.stringify(worktree.slice(0, 300))}. List them: loopctl worktrees`,
  )
