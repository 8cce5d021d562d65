/** Brings the files of a run up to date with its record, or makes them again. */

import { settlePlaces } from './folder-place.ts'
import { createFolderWriter } from './folder-writer.ts'
import { createLastLook } from './last-look.ts'
import type { FolderHost, RunFolderOptions, WrittenFolder } from './options.ts'

/** Writes the folder of a run from its journal. */
export async function writeRunFolder(
  host: FolderHost,
  idOrName: string,
  options: RunFolderOptions = {},
): Promise<readonly WrittenFolder[]> {
  const run = await host.journal.findRun(idOrName)
  const places = await settlePlaces(host, run, options)
  const last = createLastLook(host, run)
  const written: WrittenFolder[] = []
  for (const place of places) {
    const one = await createFolderWriter(host, run, place, last).update()
    if (one.problem !== undefined) options.onProblem?.(one.problem)
    written.push(one)
  }
  return written
}
