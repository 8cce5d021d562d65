/** Lines of many files on their way through a matcher, some thousand at a time. */

import type { FileHandle } from 'node:fs/promises'
import { type Line, linesOf } from './file-lines.ts'
import type { Matcher } from './matcher.ts'

export interface Found {
  readonly path: string
  readonly line: number
  /** Shortened, with the match in it. */
  readonly text: string
}

export interface LineSearch {
  /** What was found so far, in the order of the files. */
  readonly found: readonly Found[]
  /** As many as are wanted are found. */
  readonly isFull: boolean
  /** Binary files are left out. */
  add(path: string, handle: FileHandle): Promise<void>
  /** Looks at what has not been looked at yet. */
  finish(): Promise<void>
}

/** More of a line is not looked at. */
const lineBytesMax = 4000
const shownCharsMax = 300
const batchChars = 500_000
const batchLines = 10_000

export function createLineSearch(
  matcher: Matcher,
  foundMax: number,
  signal: AbortSignal,
): LineSearch {
  const found: Found[] = []
  let batch: { readonly path: string; readonly line: Line }[] = []
  let chars = 0

  const finish = async (): Promise<void> => {
    if (batch.length === 0) return
    const looked = batch
    batch = []
    chars = 0
    for (const { index, at } of await matcher.find(looked.map(({ line }) => line.text))) {
      const hit = looked[index]
      if (hit === undefined || found.length >= foundMax) continue
      found.push({ path: hit.path, line: hit.line.number, text: around(hit.line.text, at) })
    }
  }

  return {
    found,
    get isFull() {
      return found.length >= foundMax
    },
    async add(path, handle) {
      for await (const lines of linesOf(handle, 1, lineBytesMax, signal, { textOnly: true })) {
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

function around(text: string, at: number): string {
  if (text.length <= shownCharsMax) return text
  const wanted = Math.min(at - shownCharsMax / 3, text.length - shownCharsMax)
  const from = Math.max(0, Math.floor(wanted))
  const end = from + shownCharsMax
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`
}
