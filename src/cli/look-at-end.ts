/** What is said when a run in a worktree is over: what there is to look at, and what no commit has. */

import type { DriveEnd, RunPlace } from '../host/index.ts'
import { textOf } from '../loop/index.ts'
import { leftOutLine } from './display/left-out-line.ts'
import { visible } from './display/render.ts'
import type { Epilogue } from './foreground.ts'

export const lookAtEnd =
  ({ name, workspace, worktree, leftOut }: RunPlace) =>
  async (end: DriveEnd): Promise<Epilogue | undefined> => {
    if (worktree === undefined || end.type !== 'ended') return undefined
    const { branch } = worktree
    const line = visible(`Its work is on ${branch}. Look at it: loopctl diff ${name}`)
    const value = { branch, workspace }
    try {
      const paths = await leftOut()
      const left = leftOutLine(paths)
      const warnings = left === undefined ? [] : [`warning: ${left}`]
      return { lines: [line, ...warnings], value: { ...value, leftOut: paths } }
    } catch (error) {
      // The run has ended all the same.
      const why = visible(`warning: it is not known what is in no commit: ${textOf(error)}`)
      return { lines: [line, why], value }
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
