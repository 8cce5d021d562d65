/** What a folder has once its run has ended: the summary, what was changed, and a look back. */

import type { RunRow } from '../../engine/index.ts'
import { settledBefore } from '../../runs/log-dir.ts'
import { reportFile } from './carried.ts'
import { analysisFolder, reviewDiffFile, summaryFile } from './file-names.ts'
import type { HeldFolder } from './held-folder.ts'
import type { LastLook } from './last-look.ts'
import { type Marker, markerFile } from './marker.ts'
import { type FolderHost, fileBytesMax } from './options.ts'
import { type PostmortemFact, postmortemRows } from './postmortem-rows.ts'
import { reportLine } from './report-row.ts'
import { summaryOf } from './summary.ts'

interface Finished {
  readonly host: FolderHost
  readonly folder: HeldFolder
  readonly run: RunRow
  readonly path: string
  readonly last: LastLook
}

export async function finishFolder(at: Finished, marker: Marker): Promise<Marker> {
  const { host, folder, run, path, last } = at
  const asked = (await host.journal.facts(run.id)).get('postmortem')
  const stamp = String(asked?.atMs ?? 0)
  if (marker.finished === stamp) return marker
  const wanted = await settledBefore(host.journal, run.id)
  if (marker.finished === undefined) {
    if (wanted?.summary !== false) {
      const summary = summaryOf(run.id, marker.carried, path)
      await folder.put(summaryFile, `${JSON.stringify(summary, null, 2)}\n`)
    }
    const diff = await last.diff()
    if (diff !== undefined) await folder.put(reviewDiffFile, diff)
  }
  const own = wanted?.postmortem === false ? undefined : await last.lookBack(run)
  const looked = (asked?.value as PostmortemFact | undefined) ?? own
  if (looked !== undefined) await putPostmortem(at, marker, looked)
  const done: Marker = { ...marker, finished: stamp }
  await folder.put(markerFile, JSON.stringify(done))
  return done
}

async function putPostmortem(
  { folder }: Finished,
  { lengths }: Marker,
  looked: PostmortemFact,
): Promise<void> {
  const { files } = looked
  const text = postmortemRows(looked).map(reportLine).join('')
  await folder.writeFrom(reportFile, lengths[reportFile] ?? 0, Buffer.from(text))
  for (const [name, content] of Object.entries(files)) {
    // Names are ours; what is in a fact is not looked at twice.
    if (/^[a-z-]+\.(md|txt|patch)$/.test(name)) {
      await folder.put(`${analysisFolder}/${name}`, content.slice(0, fileBytesMax))
    }
  }
}
