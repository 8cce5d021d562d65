/** What a run changed, as it was when it ended: its branch may go, and this stays. */

import type { RunRow } from '../../engine/index.ts'
import { reviewDiff } from '../review/review-diff.ts'
import type { FolderHost } from './options.ts'

/** Undefined where there is nothing to compare. */
export async function reviewSnapshot(
  host: FolderHost,
  run: RunRow,
  bytesMax: number,
): Promise<string | undefined> {
  const diff = await reviewDiff(host, run.id).catch(() => undefined)
  if (diff === undefined) return undefined
  const text = `${JSON.stringify(diff, null, 2)}\n`
  if (Buffer.byteLength(text) <= bytesMax) return text
  const files = diff.files.map(({ patch: _patch, ...file }) => file)
  return `${JSON.stringify({ ...diff, files, isCut: true }, null, 2)}\n`
}
