/** Writes the files of an ended run: the summary, the diff, and the postmortem. */

import type { RunRow } from '../../engine/index.ts'
import { readRunFolderSettings } from '../../runs/log-dir.ts'
import { analysisFolder, reviewDiffFile, summaryFile } from './file-names.ts'
import type { FinalReport } from './final-report.ts'
import { reportFile } from './fold-state.ts'
import { type Marker, markerFile } from './marker.ts'
import { type FolderHost, fileBytesMax } from './options.ts'
import { type PostmortemFact, postmortemRows } from './postmortem-rows.ts'
import { reportLine } from './report-row.ts'
import type { SafeFolder } from './safe-folder.ts'
import { createSummary } from './summary.ts'

interface FinishContext {
  readonly host: FolderHost
  readonly folder: SafeFolder
  readonly run: RunRow
  readonly path: string
  readonly last: FinalReport
}

export async function finishFolder(at: FinishContext, marker: Marker): Promise<Marker> {
  const { host, folder, run, path, last } = at
  const requested = (await host.journal.facts(run.id)).get('postmortem')
  const stamp = String(requested?.atMs ?? 0)
  if (marker.finished === stamp) return marker
  const wanted = await readRunFolderSettings(host.journal, run.id)
  if (marker.finished === undefined) {
    if (wanted?.summary !== false) {
      const summary = createSummary(run.id, marker.carried, path)
      await folder.put(summaryFile, `${JSON.stringify(summary, null, 2)}\n`)
    }
    const diff = await last.diff()
    if (diff !== undefined) await folder.put(reviewDiffFile, diff)
  }
  const builtIn = wanted?.postmortem === false ? undefined : await last.readPostmortem(run)
  const postmortem = (requested?.value as PostmortemFact | undefined) ?? builtIn
  if (postmortem !== undefined) await putPostmortem(at, marker, postmortem)
  const done: Marker = { ...marker, finished: stamp }
  await folder.put(markerFile, JSON.stringify(done))
  return done
}

async function putPostmortem(
  { folder }: FinishContext,
  { lengths }: Marker,
  postmortem: PostmortemFact,
): Promise<void> {
  const { files } = postmortem
  const text = postmortemRows(postmortem).map(reportLine).join('')
  await folder.writeFrom(reportFile, lengths[reportFile] ?? 0, Buffer.from(text))
  for (const [name, content] of Object.entries(files)) {
    // We chose the names, but a fact is not validated again.
    if (/^[a-z-]+\.(md|txt|patch)$/.test(name)) {
      await folder.put(`${analysisFolder}/${name}`, content.slice(0, fileBytesMax))
    }
  }
}
