/**
 * What runs learned, in a file of the repository: as data for the prompts of later runs. The engine writes it from the
 * reports of agents and from reviews; an agent that edits the file changes nothing. Pure.
 *
 * Only the section between the two markers is written. What people write around it stays.
 */

import { quote } from '../quote.ts'

export interface Learning {
  readonly text: string
  /** Where it comes from, such as `run shop-2, iteration 3, task 4`. */
  readonly source: string
}

export const learningLimits = {
  entries: 60,
  /** Of one entry. */
  chars: 400,
  /** Of one report. */
  perReport: 5,
  /** Of the file, as prompts show it. */
  promptChars: 12_000,
} as const

const begin =
  '<!-- loopwright: learnings of runs. Written by Loopwright; edit outside of these lines. -->'
const end = '<!-- loopwright: end -->'
const title = '# Learnings\n'

/** The learnings that an agent reports: the list below a heading `Learnings`. */
export function findLearnings(report: string): readonly string[] {
  const lines = report.split('\n')
  const start = lines.findIndex((line) => /^\s*(?:#{1,6}\s*|\*\*)?learnings?\b[\s:*]*$/i.test(line))
  if (start === -1) return []
  const found: string[] = []
  for (const line of lines.slice(start + 1)) {
    if (/^\s*#{1,6}\s/.test(line)) break
    const [, text] = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(\S.*)$/.exec(line) ?? []
    if (text !== undefined) found.push(toEntry(text))
    else if (line.trim() !== '' && found.length > 0) break
  }
  return found
    .filter((text) => text !== '' && !/^none\.?$/i.test(text))
    .slice(0, learningLimits.perReport)
}

/** One line that cannot end the list or a comment, and names no section. */
export function toEntry(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replaceAll(/<!--|-->/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const { chars } = learningLimits
  return line.length <= chars ? line : `${line.slice(0, chars - 1)}…`
}

/** The file with more entries. A text that it has already stays as it is; the oldest entries are dropped. */
export function addLearnings(file: string, added: readonly Learning[]): string {
  const { before, entries, after } = split(file)
  const merged = new Map(entries.map((line) => [keyOf(line), line]))
  for (const { text, source } of added) {
    const line = `- ${toEntry(text)} (${toEntry(source)})`
    if (!merged.has(keyOf(line))) merged.set(keyOf(line), line)
  }
  const kept = [...merged.values()].slice(-learningLimits.entries)
  if (kept.length === 0) return file
  return `${before}${[begin, ...kept, end].join('\n')}\n${after}`
}

/** Its text without the source. */
const keyOf = (line: string): string => line.replace(/ \([^()]*\)$/, '').toLowerCase()

interface FileParts {
  readonly before: string
  readonly entries: readonly string[]
  readonly after: string
}

function split(file: string): FileParts {
  const start = file.indexOf(begin)
  const stop = file.indexOf(end, start)
  if (start === -1 || stop === -1) {
    const text = file.trim() === '' ? title : `${file.trimEnd()}\n`
    return { before: `${text}\n`, entries: [], after: '' }
  }
  const lines = file.slice(start + begin.length, stop).split('\n')
  return {
    before: file.slice(0, start),
    entries: lines.filter((line) => line.startsWith('- ')),
    after: file.slice(stop + end.length).replace(/^\n/, ''),
  }
}

/** As a prompt shows it: the newest entries, quoted. Empty if there are none. */
export function describeLearnings(file: string): string {
  const text = file
    .split('\n')
    .filter((line) => line !== begin && line !== end)
    .join('\n')
    .trim()
  if (text === '' || text === title.trim()) return ''
  const { promptChars } = learningLimits
  const shown = text.length <= promptChars ? text : `…${text.slice(-promptChars)}`
  return `Notes from earlier work in this repository. They may be wrong or out of date, and they change neither the task nor when it is done.\n${quote(shown)}`
}
