/** The output of a run as lines, built as it arrives. Colors of a terminal become classes; text stays text. */

import Anser from 'anser'
import type { OutputEntry } from '../../../../client/browser.ts'

export interface LogPart {
  readonly text: string
  readonly className: string
}

export type LogLine =
  | { readonly type: 'head'; readonly text: string; readonly entry: OutputEntry }
  | { readonly type: 'line'; readonly parts: readonly LogPart[] }

const colors: Readonly<Record<string, string>> = {
  'ansi-red': 'text-bad',
  'ansi-bright-red': 'text-bad',
  'ansi-green': 'text-good',
  'ansi-bright-green': 'text-good',
  'ansi-yellow': 'text-warn',
  'ansi-bright-yellow': 'text-warn',
  'ansi-blue': 'text-accent',
  'ansi-bright-blue': 'text-accent',
  'ansi-magenta': 'text-accent',
  'ansi-bright-magenta': 'text-accent',
  'ansi-cyan': 'text-accent',
  'ansi-bright-cyan': 'text-accent',
  'ansi-bright-black': 'text-muted',
}

const decorations: Readonly<Record<string, string>> = {
  bold: 'font-bold',
  italic: 'italic',
  underline: 'underline',
  dim: 'opacity-70',
  strikethrough: 'line-through',
}

const lineCharsMax = 4000
const escape = String.fromCodePoint(0x1b)
const bell = String.fromCodePoint(0x07)
/** Besides colors, which the parser understands: titles, cursor movements, and single control characters. */
const controls = new RegExp(
  [
    `${escape}\\][^${bell}${escape}]*(?:${bell}|${escape}\\\\)`,
    `${escape}\\[[0-9;?]*[A-Za-ln-z]`,
    String.raw`(?![\t\n\r${escape}])\p{Cc}`,
  ].join('|'),
  'gu',
)

export function parseLine(text: string): readonly LogPart[] {
  const shown = text.replaceAll(controls, '').slice(0, lineCharsMax)
  // What a program overwrote with a carriage return was not meant to stay.
  const last = shown.split('\r').findLast((part) => part !== '') ?? ''
  if (!last.includes(escape)) return [{ text: last, className: '' }]
  return Anser.ansiToJson(last, { json: true, use_classes: true, remove_empty: true }).map(
    ({ content, fg, decorations: found }) => ({
      text: content,
      className: [colors[fg ?? ''] ?? '', ...found.map((one) => decorations[one] ?? '')]
        .join(' ')
        .trim(),
    }),
  )
}

export interface LogLines {
  readonly lines: LogLine[]
  /** Returns whether lines were added. */
  add(entry: OutputEntry): void
}

/** Each entry is whole lines, as in the files of the run. */
export function createLogLines(): LogLines {
  const lines: LogLine[] = []
  let last: OutputEntry | undefined
  return {
    lines,
    add(entry) {
      const isSame =
        last?.step === entry.step &&
        last.iteration === entry.iteration &&
        last.source === entry.source &&
        last.role === entry.role
      if (!isSame) {
        const who = entry.role === undefined ? entry.step : `${entry.step} (${entry.role})`
        const what = entry.source === 'report' ? 'report of ' : ''
        lines.push({ type: 'head', text: `Iteration ${entry.iteration} · ${what}${who}`, entry })
      }
      last = entry
      const parts = entry.text.split('\n')
      if (parts.at(-1) === '') parts.pop()
      for (const part of parts) lines.push({ type: 'line', parts: parseLine(part) })
    },
  }
}
