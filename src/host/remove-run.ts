/** Takes a run out of the record for good. Its content goes with the next gc, if no other names it. */

import { rm } from 'node:fs/promises'
import type { RunRow } from '../engine/index.ts'
import type { RemoveOptions } from '../journal/index.ts'
import { LoopError } from '../loop/index.ts'
import type { HostPorts } from './driver.ts'
import { isReplayFolder } from './replay/index.ts'

export async function removeRun(
  { journal, folder }: HostPorts,
  idOrName: string,
  { force }: RemoveOptions = {},
): Promise<RunRow> {
  const run = await journal.findRun(idOrName)
  // A beginning is enough to look at a run; what cannot be undone wants all of it.
  if (run.id !== idOrName && run.name !== idOrName) {
    const message = `To remove run "${run.name}" (${run.id}), give its whole name or id.`
    throw new LoopError('bad-request', message)
  }
  await journal.removeRun(run.id, { force: force === true })
  // Nobody chose the folder of a replay, so nobody would look for it.
  const { workspace } = run
  if (workspace !== undefined && isReplayFolder(folder, workspace)) {
    await rm(workspace, { recursive: true, force: true })
  }
  return run
}
