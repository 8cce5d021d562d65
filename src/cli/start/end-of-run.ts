/** Printed when a run in a worktree has ended: where its work is, and what no commit has. */

import { defined, endedWithoutWork, isLoopError } from '../../loop/index.ts'
import type { Runs } from '../connection/runs.ts'
import { leftOutLine } from '../display/left-out-line.ts'
import { renderNotice } from '../display/wrap.ts'
import type { Session } from '../session.ts'
import type { RunEnd } from './run-end.ts'
import type { Epilogue } from './show-run.ts'

export const lookAtEndOf =
  ({ hint, terminal }: Session, runs: Runs, run: string) =>
  async (end: RunEnd): Promise<Epilogue | undefined> => {
    if (end.type !== 'ended' || endedWithoutWork(end.outcome)) return undefined
    const { run: row, state } = await runs.inspect(run)
    if (state.worktree === undefined) return undefined
    const { branch } = state.worktree
    const diff = await differenceOf(runs, run)
    const text =
      diff !== undefined && diff.files.length > 0
        ? hint(`Its work is on ${branch}. Look at it: loopctl diff ${row.name}`)
        : end.outcome.type === 'completed'
          ? 'It changed no files.'
          : hint(`It changed no files. Why: loopctl analyze ${row.name}`)
    const left = leftOutLine(diff?.leftOut ?? [])
    return {
      lines: [...renderNotice(text, terminal), ...(left === undefined ? [] : [`warning: ${left}`])],
      value: { branch, workspace: row.workspace, leftOut: diff?.leftOut ?? [] },
    }
  }

async function differenceOf(
  runs: Pick<Runs, 'diff'>,
  run: string,
): Promise<Awaited<ReturnType<Runs['diff']>> | undefined> {
  try {
    return await runs.diff(run, { stat: true })
  } catch (error) {
    // It ended before it read any files, or they were deleted.
    if (isLoopError(error)) return undefined
    throw error
  }
}

export type AtEnd = (end: RunEnd) => Promise<Epilogue | undefined>

/** Runs several in order. */
export const allAtEnd =
  (parts: readonly AtEnd[]): AtEnd =>
  async (end) => {
    const said: Epilogue[] = []
    for (const part of parts) {
      const one = await part(end)
      if (one !== undefined) said.push(one)
    }
    return said.length === 0
      ? undefined
      : {
          lines: said.flatMap(({ lines }) => lines),
          value: Object.assign({}, ...said.map(({ value }) => value)),
          ...defined({ exitCode: said.find(({ exitCode }) => exitCode !== undefined)?.exitCode }),
        }
  }
