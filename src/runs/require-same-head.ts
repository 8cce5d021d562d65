/**
 * Rejects resuming an interrupted run that works in the user's own checkout if the user has committed, merged or
 * switched branches there since: restoring the files of the run would undo that.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadRun, type RunRow, readSteps } from '../engine/index.ts'
import { isLoopError, LoopError } from '../loop/index.ts'
import { findRepository } from '../workspace/index.ts'
import type { HostPorts } from './host-ports.ts'
import type { RunPlace } from './run-place.ts'

export async function requireSameHead(
  { journal }: Pick<HostPorts, 'journal'>,
  run: RunRow,
  { workspace, worktree }: Pick<RunPlace, 'workspace' | 'worktree'>,
): Promise<void> {
  if (workspace === undefined || worktree !== undefined || run.held) return
  const { state, openEvents } = await loadRun(journal, run.id)
  const { inFlight } = readSteps(openEvents)
  const cutShort = inFlight.find(({ started }) => started.tree !== undefined)
  // Suspended between steps: the files are used as they are.
  if (cutShort === undefined && (state.suspendedTree !== undefined || state.open === undefined))
    return
  const began = openEvents.findLast(
    ({ event }) => event.type === 'step-started' && event.step === cutShort?.id,
  )
  const movedAtMs = await headMovedAtMs(workspace)
  // Git stores whole seconds.
  if (movedAtMs === undefined || movedAtMs + 999 < (began?.atMs ?? run.updatedAtMs)) return
  throw new LoopError(
    'wrong-status',
    `Run "${run.name}" was interrupted in ${workspace}, and HEAD has changed there since. Resuming would restore its files ` +
      'to the start of its unfinished step. Resume with the files as they are ' +
      `(loopctl resume ${run.name} --keep-files; in code: keepFiles), or in another folder (loopctl fork ${run.name}).`,
  )
}

/** The time of the last entry in git's reflog of HEAD; undefined if there is none. */
async function headMovedAtMs(folder: string): Promise<number | undefined> {
  try {
    const { gitDir } = await findRepository(folder)
    const log = await readFile(join(gitDir, 'logs', 'HEAD'), 'utf8').catch(() => '')
    const seconds = /> (\d{1,12}) [+-]\d{4}(?:\t.*)?\n?$/.exec(log.slice(-4096))?.[1]
    return seconds === undefined ? undefined : Number(seconds) * 1000
  } catch (error) {
    if (isLoopError(error)) return undefined
    throw error
  }
}
