/** The lines of one file that match, in bounded memory. */

import type { FileHandle } from 'node:fs/promises'
import { isBinary, type Line, linesOf } from './file-lines.ts'
import type { Matcher } from './matcher.ts'

export interface Found {
  readonly path: string
  readonly line: number
  /** Shortened, with the match in it. */
  readonly text: string
}

/** More of a line is not looked at. */
const lineBytesMax = 4000
const shownCharsMax = 300
/** What is looked at together. */
const batchBytes = 500_000

export async function searchLines(
  handle: FileHandle,
  path: string,
  matcher: Matcher,
  foundMax: number,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  if (await isBinary(handle)) return []
  const found: Found[] = []
  let batch: Line[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    for (const { index, at } of await matcher.find(batch.map(({ text }) => text))) {
      const line = batch[index]
      if (line !== undefined) found.push({ path, line: line.number, text: around(line.text, at) })
    }
    batch = []
    bytes = 0
  }
  for await (const lines of linesOf(handle, 1, lineBytesMax, signal)) {
    batch.push(...lines)
    bytes += lines.reduce((sum, { text }) => sum + text.length, 0)
    if (bytes < batchBytes) continue
    await flush()
    if (found.length >= foundMax) break
  }
  if (batch.length > 0) await flush()
  return found.slice(0, foundMax)
}

function around(text: string, at: number): string {
  if (text.length <= shownCharsMax) return text
  const from = Math.max(0, Math.min(at - shownCharsMax / 3, text.length - shownCharsMax))
  const end = Math.floor(from) + shownCharsMax
  return `${from > 0 ? '…' : ''}${text.slice(Math.floor(from), end)}${end < text.length ? '…' : ''}`
}
