/** Feeds the lines of many files to a matcher, a few thousand at a time. */

import type { FileHandle } from 'node:fs/promises'
import type { Matcher } from './matcher.ts'
import { type Line, readLines } from './read-lines.ts'

export interface LineMatch {
  readonly path: string
  readonly line: number
  /** Shortened around the match. */
  readonly text: string
}

export interface LineSearch {
  /** The matches so far, in the order of the files. */
  readonly found: readonly LineMatch[]
  /** There are as many matches as requested. */
  readonly isFull: boolean
  /** Binary files are skipped. */
  add(path: string, handle: FileHandle): Promise<void>
  /** Searches what is still in the batch. */
  finish(): Promise<void>
}

/** The rest of a line is not searched. */
const lineBytesMax = 4000
const shownCharsMax = 300
const batchChars = 500_000
const batchLines = 10_000

export function createLineSearch(
  matcher: Matcher,
  foundMax: number,
  signal: AbortSignal,
): LineSearch {
  const found: LineMatch[] = []
  let batch: { readonly path: string; readonly line: Line }[] = []
  let chars = 0

  const finish = async (): Promise<void> => {
    if (batch.length === 0) return
    const searched = batch
    batch = []
    chars = 0
    for (const { index, at } of await matcher.find(searched.map(({ line }) => line.text))) {
      const hit = searched[index]
      if (hit === undefined || found.length >= foundMax) continue
      found.push({ path: hit.path, line: hit.line.number, text: excerptAround(hit.line.text, at) })
    }
  }

  return {
    found,
    get isFull() {
      return found.length >= foundMax
    },
    async add(path, handle) {
      for await (const lines of readLines(handle, 1, lineBytesMax, signal, { textOnly: true })) {
        for (const line of lines) {
          batch.push({ path, line })
          chars += line.text.length
        }
        if (chars >= batchChars || batch.length >= batchLines) await finish()
        if (found.length >= foundMax) return
      }
    },
    finish,
  }
}

function excerptAround(text: string, at: number): string {
  if (text.length <= shownCharsMax) return text
  const wanted = Math.min(at - shownCharsMax / 3, text.length - shownCharsMax)
  const from = Math.max(0, Math.floor(wanted))
  const end = from + shownCharsMax
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`
}
