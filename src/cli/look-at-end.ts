/** What is said when a run in a worktree is over: what there is to look at, and what no commit has. */

import type { DriveEnd } from '../engine/index.ts'
import type { Host } from '../host/host.ts'
import { didNothing, isLoopError, textOf } from '../loop/index.ts'
import type { RunPlace } from '../runs/run-place.ts'
import { leftOutLine } from './display/left-out-line.ts'
import { visible } from './display/render.ts'
import { renderNotice } from './display/wrap.ts'
import type { Runs } from './runs.ts'
import type { Session } from './session.ts'
import type { Epilogue } from './show-run.ts'

export const lookAtEnd =
  ({ hint, terminal }: Session, host: Host, { name, workspace, worktree, leftOut }: RunPlace) =>
  async (end: DriveEnd): Promise<Epilogue | undefined> => {
    if (worktree === undefined || end.type !== 'ended' || didNothing(end.outcome)) return undefined
    const { branch } = worktree
    const text = (await hasChanged(host, name))
      ? hint(`Its work is on ${branch}. Look at it: loopctl diff ${name}`)
      : 'It changed no files.'
    const lines = renderNotice(text, terminal)
    const value = { branch, workspace }
    try {
      const paths = await leftOut()
      const left = leftOutLine(paths)
      const warnings = left === undefined ? [] : [`warning: ${left}`]
      return { lines: [...lines, ...warnings], value: { ...value, leftOut: paths } }
    } catch (error) {
      // The run has ended all the same.
      const why = visible(`warning: it is not known what is in no commit: ${textOf(error)}`)
      return { lines: [...lines, why], value }
    }
  }

/** The same of a run that a daemon drove. */
export const lookAtEndOf =
  ({ hint, terminal }: Session, runs: Runs, run: string) =>
  async (end: DriveEnd): Promise<Epilogue | undefined> => {
    if (end.type !== 'ended' || didNothing(end.outcome)) return undefined
    const { run: row, state } = await runs.inspect(run)
    if (state.worktree === undefined) return undefined
    const { branch } = state.worktree
    const diff = await differenceOf(runs, run)
    const text =
      diff !== undefined && diff.files.length > 0
        ? hint(`Its work is on ${branch}. Look at it: loopctl diff ${row.name}`)
        : 'It changed no files.'
    const left = leftOutLine(diff?.leftOut ?? [])
    return {
      lines: [...renderNotice(text, terminal), ...(left === undefined ? [] : [`warning: ${left}`])],
      value: { branch, workspace: row.workspace, leftOut: diff?.leftOut ?? [] },
    }
  }

async function hasChanged(host: Host, run: string): Promise<boolean> {
  return ((await differenceOf(host, run))?.files.length ?? 0) > 0
}

async function differenceOf(
  host: Pick<Host, 'diff'>,
  run: string,
): Promise<Awaited<ReturnType<Host['diff']>> | undefined> {
  try {
    return await host.diff(run, { stat: true })
  } catch (error) {
    // It ended before it looked at any, or they are gone: nothing to look at either way.
    if (isLoopError(error)) return undefined
    throw error
  }
}

export type AtEnd = (end: DriveEnd) => Promise<Epilogue | undefined>

/** One after the other. */
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
        }
  }
