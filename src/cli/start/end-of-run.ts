/** Printed when a run in a worktree has ended: where its work is, and what no commit has. */

import { defined, endedWithoutWork, isLoopError, type RunWorktree } from '../../loop/index.ts'
import type { Review } from '../../protocol/api/review-status.ts'
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
    const { run: row, state, review } = await runs.inspect(run)
    if (state.worktree === undefined) return undefined
    const { branch } = state.worktree
    const diff = await differenceOf(runs, run)
    const where = whereItIs(state.worktree, review)
    const text =
      diff !== undefined && diff.files.length > 0
        ? hint(`Its work is on ${where.branch}. Look at it: loopctl diff ${row.name}`)
        : end.outcome.type === 'completed'
          ? 'It changed no files.'
          : hint(`It changed no files. Why: loopctl analyze ${row.name}`)
    const left = leftOutLine(diff?.leftOut ?? [])
    const next = where.onto === undefined ? [] : [landText(row.name, where.onto)]
    return {
      lines: [
        ...renderNotice(text, terminal),
        ...next.flatMap((line) => renderNotice(hint(line), terminal)),
        ...(left === undefined ? [] : [`warning: ${left}`]),
      ],
      value: {
        branch,
        ...defined({ mergedInto: where.mergedInto }),
        workspace: row.workspace,
        leftOut: diff?.leftOut ?? [],
      },
    }
  }

interface WorkPlace {
  readonly branch: string
  readonly mergedInto?: string
  /** The branch that it can be brought to. Absent: it is not merged, or has no branch to go to. */
  readonly onto?: string
}

function whereItIs({ branch, base }: RunWorktree, review: Review | undefined): WorkPlace {
  const merged = review?.status === 'merged' ? review.branch : undefined
  if (merged === undefined) return { branch }
  const isBranch = base.name !== 'HEAD' && base.name !== merged
  return { branch: merged, mergedInto: merged, ...(isBranch ? { onto: base.name } : {}) }
}

const landText = (run: string, onto: string): string =>
  `To bring it to ${onto}: loopctl land ${run} --onto ${onto}`

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
