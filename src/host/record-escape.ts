/** Records that an action which was performed turned out to be wrong: its work is void, or was reverted. */

import { recordIdle } from '../engine/index.ts'
import { viewActions } from '../history/views/view-actions.ts'
import { LoopError } from '../loop/index.ts'
import type { ActionEntry, EscapeRequest } from '../protocol/api/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { createOwnerId } from '../system/index.ts'

/** Resolves with the action. Rejects with `bad-request` if it was not performed. */
export async function recordEscape(
  base: Pick<HostPorts, 'journal' | 'blobs' | 'clock'>,
  idOrName: string,
  { key, reason, by }: EscapeRequest & { readonly by: string },
): Promise<ActionEntry> {
  const run = await base.journal.findRun(idOrName)
  const find = async (): Promise<ActionEntry> => {
    const entry = (await viewActions(base, run.id)).find((one) => one.key === key)
    if (entry?.status === 'done' || entry?.status === 'escaped') return entry
    const message = `Run "${run.name}" performed no action ${JSON.stringify(key)}.`
    throw new LoopError('bad-request', `${message} List them: loopctl actions ${run.name}`)
  }
  const { kind, status } = await find()
  if (status === 'done') {
    await recordIdle(run.id, base, createOwnerId(), {
      type: 'action-recorded',
      key,
      kind,
      status: 'escaped',
      reason,
      requestedBy: by,
    })
  }
  return find()
}
