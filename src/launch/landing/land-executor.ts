/** Performs the action `land`. Found again by the line of its commit, or by the end of its request. */

import { definite, failedAction } from '../../authority/index.ts'
import type { ActionContext, Actions } from '../../engine/index.ts'
import { defined, LoopError } from '../../loop/index.ts'
import type { Landings } from '../../workspace/index.ts'
import { type LandingEnd, trailer } from './landing.ts'

export interface LandPorts {
  readonly git: Landings
  readonly onto: string
  /** Where the history of the work begins. */
  readonly base: string
  land(key: string, context: ActionContext): Promise<LandingEnd>
}

export const landExecutor = ({ git, onto, base, land }: LandPorts): Actions => ({
  async perform(_action, key, context) {
    const end = await land(key, context).catch((error: unknown) => {
      // The queue knows what became of it, so nothing is unknown.
      if (error instanceof LoopError) return definite(() => Promise.reject(error))
      throw error
    })
    if (end.state !== 'merged') throw failedAction(end.reason)
    const { commit, certificate } = end
    const details = { target: onto, ...defined({ commit, certificate }) }
    const summary = commit === undefined ? `${onto} has all of it already` : `landed on ${onto}`
    return { status: 'done', summary, details }
  },
  async find(_action, key) {
    const commit = await git.find(onto, base, trailer(key))
    if (commit === undefined) return { type: 'not-done' }
    const details = { target: onto, commit }
    return { type: 'done', receipt: { status: 'done', summary: `landed on ${onto}`, details } }
  },
})
