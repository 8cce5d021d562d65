/** Where a run works and by what, in words for its first line. */

import { join } from 'node:path'
import type { Inspection } from '../history/inspect-run.ts'
import type { LoadedLoop } from '../launch/loaded-loop.ts'
import type { Source } from '../loop/index.ts'
import type { RunPlace } from '../runs/run-place.ts'
import { describeBase, describeCarried } from './display/render.ts'

/** Nobody should have to wonder what is being changed. */
export function whereOf({ workspace, worktree, inner = '', why }: RunPlace): string {
  if (workspace === undefined) return ''
  if (worktree !== undefined) return `  on ${worktree.branch} in ${join(workspace, inner)}`
  return `  in ${workspace}${why === undefined ? '' : `, as it is: ${why}`}`
}

/** What a new one starts from. */
export const fromWhere = ({ worktree }: RunPlace): string =>
  worktree === undefined ? '' : `, from ${describeBase(worktree.base)}`

/** What is brought along may hold what is secret. */
export function notesOn({ worktree }: RunPlace): readonly string[] {
  const carried = worktree === undefined ? undefined : describeCarried(worktree)
  return carried === undefined ? [] : [`carried over: ${carried}`]
}

/** What the command line put in the place of what the file says, now or when the run was created. */
export const changed = ({ source }: LoadedLoop): string => changesOf(source)

function changesOf(source: Source | undefined): string {
  const { model, prompt } = source?.changes ?? {}
  const words = [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(prompt === undefined ? [] : ['another prompt']),
  ]
  return words.length === 0 ? '' : `  (${words.join(', ')})`
}

/** The same of a run that is on record. */
export function describePlace({ run, state }: Pick<Inspection, 'run' | 'state'>): string {
  const { worktree, source } = state
  const what = `${run.loop}${changesOf(source)}`
  if (run.workspace === undefined) return what
  if (worktree === undefined) return `${what}  in ${run.workspace}`
  const folder = join(run.workspace, worktree.folder ?? '')
  return `${what}  on ${worktree.branch} in ${folder}, from ${describeBase(worktree.base)}`
}
