/** Where a run works and by what, in words for its first line. */

import { join } from 'node:path'
import type { RunDetail } from '../../client/index.ts'
import type { RunState, Source } from '../../loop/index.ts'
import { describeBase, describeCarried } from '../display/render.ts'

/** Files that were copied into a worktree may hold secrets. */
export function notesOn({ worktree }: Pick<RunState, 'worktree'>): readonly string[] {
  const carried = worktree === undefined ? undefined : describeCarried(worktree)
  return carried === undefined ? [] : [`carried over: ${carried}`]
}

/** What overrides the loop file. */
function changesOf(source: Source | undefined): string {
  const { model, prompt } = source?.changes ?? {}
  const words = [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(prompt === undefined ? [] : ['another prompt']),
  ]
  return words.length === 0 ? '' : `  (${words.join(', ')})`
}

/** `how`: such as a fork of which run. */
export function describePlace(
  { run, state }: Pick<RunDetail, 'run' | 'state'>,
  how?: string,
): string {
  const { worktree, source } = state
  const what = `${run.loop}${changesOf(source)}${how === undefined ? '' : `  ${how}`}`
  if (run.workspace === undefined) return what
  if (worktree === undefined) return `${what}  in ${run.workspace}`
  const folder = join(run.workspace, worktree.folder ?? '')
  return `${what}  on ${worktree.branch} in ${folder}, from ${describeBase(worktree.base)}`
}
