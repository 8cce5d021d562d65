/** Records what a new run has besides its loop: where its files are, and how it was named. */

import type { RunFolderOptions } from '../../history/run-folder/index.ts'
import { chooseRunFolderLocations } from '../../history/run-folder/run-folder-location.ts'
import type { Runs } from '../../runs/runs.ts'
import type { NameSource } from '../name-run.ts'

export interface Beginning extends Omit<RunFolderOptions, 'onProblem'> {
  readonly nameSource?: NameSource
}

export async function recordBeginning(
  host: Pick<Runs, 'folder' | 'journal' | 'blobs'>,
  idOrName: string,
  { nameSource, ...files }: Beginning,
): Promise<void> {
  const run = await host.journal.findRun(idOrName)
  if (nameSource !== undefined) {
    const fact = { value: { source: nameSource }, atMs: run.createdAtMs }
    await host.journal.setFact(run.id, 'name', fact)
  }
  await chooseRunFolderLocations(host, run, files)
}
