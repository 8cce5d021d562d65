/** An action that a person requests on the work of a run. The request is the approval; the journal keeps who it was. */

import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import {
  type Actions,
  actIdle,
  type IdleReceipt,
  loadRun,
  type Policy,
  type RunRow,
} from '../engine/index.ts'
import { openRunPolicy } from '../launch/policy/open-run-policy.ts'
import {
  type Action,
  type PolicyRequest,
  type RunState,
  type TreeId,
  toPolicyContext,
} from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { createOwnerId } from '../system/index.ts'

export interface PersonalAction {
  readonly action: Action
  readonly actions: Actions
  /** Default: the local user. */
  readonly by?: string | undefined
  /** What the branch of the run has. Runs from before there were certificates are taken as they are. */
  readonly tree: TreeId | undefined
  /** How many files the run changed. */
  readonly files: number
  readonly earlier?: 'happened' | 'again' | undefined
}

export async function actAsPerson(
  base: Pick<HostPorts, 'journal' | 'clock' | 'folder'>,
  { id }: Pick<RunRow, 'id'>,
  { action, actions, by = userInfo().username, tree, files, earlier }: PersonalAction,
): Promise<IdleReceipt> {
  const known = tree === undefined ? {} : { tree }
  const { state } = await loadRun(base.journal, id)
  const policy = await openPolicyFor(base.folder, state)
  return actIdle(id, base, createOwnerId(), {
    action,
    by,
    earlier,
    policy: policy && ((now) => policy.judge(toRequest(now, action.kind, files))),
    actions: {
      perform: (one, key, context) => actions.perform(one, key, vouched(context, known)),
      find: (one, key, context) => actions.find(one, key, vouched(context, known)),
    },
  })
}

/**
 * Those of the user, and those that the run was driven with. Their content has not changed since, or is trusted now: the
 * files of a loop file are trusted with it, not each by itself. One that is missing rejects.
 */
async function openPolicyFor(folder: string, { policy }: RunState): Promise<Policy | undefined> {
  const files = policy?.files ?? []
  const policies = files.map(({ file, mode }) => ({ file: resolve('/', file), mode }))
  const asDriven = await openRunPolicy({ policies }, { folder, isLook: true })
  return asDriven?.inEffect.digest === policy?.digest
    ? asDriven
    : openRunPolicy({ policies }, { folder })
}

function toRequest(state: RunState, actionKind: string, files: number): PolicyRequest {
  const { iteration, certificate } = state
  const context = toPolicyContext(state, {
    iteration,
    tree: certificate?.tree,
    filesChanged: files,
    sealedTouched: 0,
    level: 2,
  })
  return { action: 'act', loop: state.loop, actionKind, context }
}

/** The caller compared the branch with the certificate, if there is one. */
const vouched = <C extends { readonly certificate?: unknown }>(
  context: C,
  known: { readonly tree?: TreeId },
): C => ({ ...context, certificate: context.certificate ?? 'requested by a person', ...known })
