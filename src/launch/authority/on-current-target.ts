/**
 * A proposal waits for a person, and meanwhile its target moves on. Before it is performed, the work is merged with the
 * target as it is now, in memory, and certified again: what the person allowed was about other files.
 */

import { definite, failedAction } from '../../authority/index.ts'
import type { ActionContext, Actions } from '../../engine/index.ts'
import type { Action } from '../../loop/index.ts'
import type { Landings } from '../../workspace/index.ts'
import type { MergedCertifier } from '../landing/certify-merged.ts'

export interface TargetOfWork {
  readonly git: Landings
  /** The branch that the run began from. */
  readonly target: string
  /** Its commit when the run began. */
  readonly base: string
  /** The branch of the run. */
  readonly branch: string
  readonly certify: MergedCertifier
}

export const onCurrentTarget = (actions: Actions, of: TargetOfWork): Actions => ({
  find: actions.find,
  async perform(action, key, context) {
    const target = targetOf(action) ?? of.target
    await definite(() => requireValid({ ...of, target }, context))
    return actions.perform(action, key, context)
  },
})

/** A pull request can be for another branch. */
function targetOf({ kind, details }: Action): string | undefined {
  const { base } = (details ?? {}) as { readonly base?: unknown }
  return kind === 'open-pr' && typeof base === 'string' ? base : undefined
}

async function requireValid(
  { git, target, base, branch, certify }: TargetOfWork,
  context: ActionContext,
): Promise<void> {
  // Without a certificate there is nothing to renew: the executor decides about such work.
  if (context.certificate === undefined) return
  const tip = await git.tip(target)
  if (tip === undefined || tip === base) return
  const commit = await git.tip(branch)
  if (commit === undefined) return
  const message = `The work of ${branch} on ${target}`
  const merged = await git.merge(tip, { commit, strategy: 'squash', message })
  switch (merged.type) {
    case 'nothing':
      throw invalid(`${target} has all of it by now`)
    case 'unrelated':
      throw invalid(`${target} has no common history with it any more`)
    case 'conflict':
      throw invalid(`${target} has changed, and conflicts with it in ${merged.files.join(', ')}`)
    case 'merged': {
      const candidate = { tree: merged.tree, commit: merged.commit, onto: tip }
      const verdict = await certify(context).certify(
        { ...candidate, base: await git.treeOf(tip) },
        context.signal,
      )
      if (verdict.type === 'refused') {
        throw invalid(
          `${target} has changed, and with it the work is not certified: ${verdict.reason}`,
        )
      }
    }
  }
}

const invalid = (message: string): Error =>
  failedAction(`${message}. The next round starts from there.`)
