/** Steps of a branch start in the order of requests, regardless of what each has to wait for. */

import type { Branch } from './live-run.ts'

export interface StartTurn {
  readonly before: Promise<void> | undefined
  readonly started: () => void
}

/** A step that has nothing to wait for starts synchronously. */
export const atOnce: StartTurn = { before: undefined, started: () => undefined }

export function takeTurn(branch: Branch): StartTurn {
  const before = branch.lastStart
  let started: () => void = () => undefined
  const mine = new Promise<void>((resolve) => {
    started = () => {
      if (branch.lastStart === mine) branch.lastStart = undefined
      resolve()
    }
  })
  branch.lastStart = mine
  return { before, started }
}
