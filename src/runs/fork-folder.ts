/** The default folder of a fork: beside the workspace of its original. */

import { existsSync } from 'node:fs'
import type { RunRow } from '../engine/index.ts'
import { LoopError, type RunState } from '../loop/index.ts'

/** Undefined: it gets a separate worktree, or has no files. */
export function forkFolder(
  { run, state }: { readonly run: RunRow; readonly state: RunState },
  iteration: number,
): string | undefined {
  if (run.workspace === undefined || state.worktree !== undefined) return undefined
  if (state.origin?.type === 'replay') {
    const message = `Run "${run.name}" is a replay, and its folder is removed with it.`
    throw new LoopError('bad-request', `${message} Pass a folder for the fork with --workspace.`)
  }
  const beside = `${run.workspace}-fork-${iteration}`
  if (!existsSync(beside)) return beside
  let number = 2
  while (existsSync(`${beside}-${number}`)) number++
  return `${beside}-${number}`
}
