/** Lists of entries as text: cut between entries, so that each that is shown is complete. */

import { sourceCharsMax } from '../../../loops/context/gather.ts'

export interface Entry {
  /** Of the issue or pull request. */
  readonly number: number
  readonly text: string
}

export interface JoinedEntries {
  readonly text: string
  readonly isCut: boolean
  /** Of the entries that are shown. */
  readonly numbers: readonly number[]
}

export function joinEntries(
  entries: readonly Entry[],
  charsMax: number = sourceCharsMax,
): JoinedEntries {
  const shown: Entry[] = []
  let chars = 0
  for (const entry of entries) {
    chars += entry.text.length + 2
    if (chars > charsMax) break
    shown.push(entry)
  }
  return {
    text: shown.map(({ text }) => text).join('\n\n'),
    isCut: shown.length < entries.length,
    numbers: shown.map(({ number }) => number),
  }
}

/** `2026-11-19`. */
export const day = (atMs: number): string => {
  const date = new Date(atMs)
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString().slice(0, 10)
}
