/**
 * Completes the files of an ended run: the process that drove it may have been killed, or the disk may have
 * been full.
 */

import { isEnd, type RunId } from '../../loop/index.ts'
import { readRunFolderSettings } from '../../runs/log-dir.ts'
import { readMarker } from './marker.ts'
import type { FolderHost } from './options.ts'
import { listRunFolderLocations, type RunFolderLocation } from './run-folder-location.ts'
import { openSafeFolder } from './safe-folder.ts'
import { writeRunFolder } from './write-run-folder.ts'

/** Never rejects: what cannot be written now is written at the next request. */
export async function finishRunFolder(host: FolderHost, run: RunId): Promise<void> {
  try {
    const row = await host.journal.findRun(run)
    // A run without a configured folder gets none now.
    if (!isEnd(row.status) || row.held || !(await readRunFolderSettings(host.journal, run))) return
    for (const place of await listRunFolderLocations(host, row)) {
      if (await isFinished(place, run)) continue
      await writeRunFolder(host, run)
      return
    }
  } catch {
    // The run may have been removed, or its folder may be something else.
  }
}

export async function isFinished({ root, parts }: RunFolderLocation, run: RunId): Promise<boolean> {
  const folder = await openSafeFolder(root, parts, { make: false })
  try {
    return folder !== undefined && (await readMarker(folder, run)).finished !== undefined
  } finally {
    await folder?.close()
  }
}
