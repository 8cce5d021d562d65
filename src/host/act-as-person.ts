/** An action that a person requests on the work of a run. The request is the approval; the journal keeps who it was. */

import { userInfo } from 'node:os'
import { type Actions, actIdle, type IdleReceipt, type RunRow } from '../engine/index.ts'
import type { Action, TreeId } from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { createOwnerId } from '../system/index.ts'

export interface PersonalAction {
  readonly action: Action
  readonly actions: Actions
  /** Default: the local user. */
  readonly by?: string | undefined
  /** What the branch of the run has. Runs from before there were certificates are taken as they are. */
  readonly tree: TreeId | undefined
  readonly earlier?: 'happened' | 'again' | undefined
}

export async function actAsPerson(
  base: Pick<HostPorts, 'journal' | 'clock'>,
  { id }: Pick<RunRow, 'id'>,
  { action, actions, by = userInfo().username, tree, earlier }: PersonalAction,
): Promise<IdleReceipt> {
  const known = tree === undefined ? {} : { tree }
  return actIdle(id, base, createOwnerId(), {
    action,
    by,
    earlier,
    actions: {
      perform: (one, key, context) => actions.perform(one, key, vouched(context, known)),
      find: (one, key, context) => actions.find(one, key, vouched(context, known)),
    },
  })
}

/** The caller compared the branch with the certificate, if there is one. */
const vouched = <C extends { readonly certificate?: unknown }>(
  context: C,
  known: { readonly tree?: TreeId },
): C => ({ ...context, certificate: context.certificate ?? 'requested by a person', ...known })
