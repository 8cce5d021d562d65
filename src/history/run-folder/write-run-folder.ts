/** Updates the files of a run from the journal, or writes them again. */

import { createFinalReport } from './final-report.ts'
import { createFolderWriter } from './folder-writer.ts'
import type { FolderHost, RunFolderOptions, WrittenFolder } from './options.ts'
import { chooseRunFolderLocations } from './run-folder-location.ts'

/** Writes the folder of a run from its journal. */
export async function writeRunFolder(
  host: FolderHost,
  idOrName: string,
  options: RunFolderOptions = {},
): Promise<readonly WrittenFolder[]> {
  const run = await host.journal.findRun(idOrName)
  const places = await chooseRunFolderLocations(host, run, options)
  const last = createFinalReport(host, run)
  const written: WrittenFolder[] = []
  for (const place of places) {
    const one = await createFolderWriter(host, run, place, last).update()
    if (one.problem !== undefined) options.onProblem?.(one.problem)
    written.push(one)
  }
  return written
}
