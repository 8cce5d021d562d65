/** What is said when a run in a worktree is over: what there is to look at, and what no commit has. */

import type { DriveEnd, Host, RunPlace } from '../host/index.ts'
import { isLoopError, textOf } from '../loop/index.ts'
import { leftOutLine } from './display/left-out-line.ts'
import { visible } from './display/render.ts'
import { renderNotice } from './display/wrap.ts'
import type { Epilogue } from './foreground.ts'
import type { Session } from './session.ts'

export const lookAtEnd =
  ({ terminal }: Session, host: Host, { name, workspace, worktree, leftOut }: RunPlace) =>
  async (end: DriveEnd): Promise<Epilogue | undefined> => {
    if (worktree === undefined || end.type !== 'ended') return undefined
    const { branch } = worktree
    const text = (await hasChanged(host, name))
      ? `Its work is on ${branch}. Look at it: loopctl diff ${name}`
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

async function hasChanged(host: Host, run: string): Promise<boolean> {
  try {
    const { files } = await host.diff(run, { stat: true })
    return files.length > 0
  } catch (error) {
    // It ended before it looked at any, or they are gone: nothing to look at either way.
    if (isLoopError(error)) return false
    throw error
  }
}

type AtEnd = (end: DriveEnd) => Promise<Epilogue | undefined>

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
