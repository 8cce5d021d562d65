/**
 * Makes up for the files of a run that has ended and was left before they were whole: whoever drove it may
 * have been killed, or its disk was full.
 */

import { isEnd, type RunId } from '../../loop/index.ts'
import { settledBefore } from '../../runs/log-dir.ts'
import { type FolderPlace, knownPlaces } from './folder-place.ts'
import { holdFolder } from './held-folder.ts'
import { readMarker } from './marker.ts'
import type { FolderHost } from './options.ts'
import { writeRunFolder } from './write-run-folder.ts'

/** Never rejects: what cannot be written now is written when it is asked for again. */
export async function finishRunFolder(host: FolderHost, run: RunId): Promise<void> {
  try {
    const row = await host.journal.findRun(run)
    // Files that nobody ever wanted are not made now.
    if (!isEnd(row.status) || row.held || !(await settledBefore(host.journal, run))) return
    for (const place of await knownPlaces(host, row)) {
      if (await isFinished(place, run)) continue
      await writeRunFolder(host, run)
      return
    }
  } catch {
    // The run may be gone, or its folder may not be one.
  }
}

export async function isFinished({ root, parts }: FolderPlace, run: RunId): Promise<boolean> {
  const folder = await holdFolder(root, parts, { make: false })
  try {
    return folder !== undefined && (await readMarker(folder, run)).finished !== undefined
  } finally {
    await folder?.close()
  }
}
