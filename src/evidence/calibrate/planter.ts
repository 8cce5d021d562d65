/** Plants defects. `launch/calibrate/` adds the operators of the repair agent; others are in `plain-defects.ts`. */

import type { Overlay } from '../parts.ts'

/** A small change to one file that checks should notice. */
export interface Defect {
  /** The kind of change. */
  readonly operator: string
  readonly file: string
  /** From 1. */
  readonly line: number
  /** For example `a < b → a <= b`. */
  readonly description: string
  /** The whole file including the defect. */
  readonly text: string
}

export interface SourceText {
  readonly path: string
  readonly text: string
  /** The kind to restore it as. */
  readonly kind?: 'file' | 'executable'
}

export interface Planter {
  /** Every defect that it can plant in this file; none if it cannot parse the file. */
  defectsIn(file: SourceText): readonly Defect[]
  /** A file that does not parse is not a useful defect. */
  isReadable(file: SourceText): boolean
}

/** Longer files are ignored. */
export const plantedCharsMax: number = 256 * 1024

const shownCharsMax = 80

/** The defect of replacing this part of a file; undefined if that changes nothing. */
export function createReplacement(
  { path, text }: SourceText,
  operator: string,
  [start, end]: readonly [start: number, end: number],
  replacement: string,
): Defect | undefined {
  if (text.slice(start, end) === replacement) return undefined
  const from = text.lastIndexOf('\n', start - 1) + 1
  const next = text.indexOf('\n', end)
  const to = next === -1 ? text.length : next
  const after = text.slice(from, start) + replacement + text.slice(end, to)
  return {
    operator,
    file: path,
    line: lineAt(text, start),
    description: `${shorten(text.slice(from, to))} → ${shorten(after)}`,
    text: text.slice(0, start) + replacement + text.slice(end),
  }
}

export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++
  }
  return line
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line === '') return '(nothing)'
  return line.length > shownCharsMax ? `${line.slice(0, shownCharsMax)}…` : line
}

const encoder = new TextEncoder()

/** The file with the defect, as an overlay for its tree. */
export function toOverlay({ file, text }: Defect, kind: SourceText['kind'] = 'file'): Overlay {
  return new Map([[file, { content: encoder.encode(text), kind }]])
}
