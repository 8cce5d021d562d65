/**
 * The part of a check's output to read: the first failure with its assertion, the summary, the other failures;
 * then, while there is room, the rest of them, the end and the beginning.
 *
 * Output that fits is unchanged. Gaps are marked. Never longer than the limit.
 */

import { keepEnd } from '../progress.ts'
import { createLineCollector, type OutputLine } from './collect-lines.ts'
import { type Rank, rankLines, ranks } from './rank-lines.ts'

export function excerpt(text: string, charsMax: number): string {
  return excerptLines(collectLines(text), charsMax)
}

function collectLines(text: string): readonly OutputLine[] {
  const collector = createLineCollector()
  collector.push(text)
  return collector.end()
}

/** Blank lines, and those of YAML in TAP that have no value. */
const punctuation = /^\s*(?:---|\.\.\.|error: \|-?)?\s*$/

/** The most informative lines, in their original order. */
export function selectKeyLines(text: string, count: number): readonly string[] {
  const lines = collectLines(text)
    .map((line) => line.text)
    .filter((line) => !punctuation.test(line))
  const found = rankLines(lines)
  const best = [...lines.keys()].toSorted(byRank(found)).slice(0, count)
  return best.toSorted((a, b) => a - b).map((at) => lines[at] ?? '')
}

const lineCharsMax = 500
const lineEndChars = 90

export function excerptLines(lines: readonly OutputLine[], charsMax: number): string {
  const whole = joinLines(lines)
  if (whole.length <= charsMax) return whole
  const room = Math.max(lineCharsMax, Math.floor(charsMax / Math.max(1, lines.length)) - markChars)
  const shown = dropBlankLines(lines, Math.min(room, charsMax - markChars))
  const found = rankLines(shown.map(({ text }) => text))
  const chosen = new Set<number>()
  let left = charsMax + 1
  for (const at of [...shown.keys()].toSorted(byRank(found))) {
    const cost = costOf(shown, chosen, at)
    if (cost > left) continue
    chosen.add(at)
    left -= cost
  }
  const text = joinLines(shown.filter((_, at) => chosen.has(at)))
  // Not even one line fits.
  return text === '' ? keepEnd(whole, charsMax) : text
}

/** Among equally ranked lines, the end matters more than the beginning. */
function byRank(found: readonly Rank[]): (a: number, b: number) => number {
  const rankOf = (at: number): Rank => found[at] ?? ranks.noise
  return (a, b) => rankOf(a) - rankOf(b) || (rankOf(a) >= ranks.other ? b - a : a - b)
}

/** An upper bound for the length of a mark. */
const markChars = 40

const mark = (count: number): string =>
  `...[${count} ${count === 1 ? 'line' : 'lines'} left out]...`

/** The cost of a line, including its mark; the line after it may no longer need one. */
function costOf(lines: readonly OutputLine[], chosen: ReadonlySet<number>, at: number): number {
  const follows = (one: number): boolean =>
    lines[one]?.number === (one === 0 ? 0 : (lines[one - 1]?.number ?? 0) + 1)
  const isMarked = !(follows(at) && (at === 0 || chosen.has(at - 1)))
  const isJoined = chosen.has(at + 1) && follows(at + 1)
  const marks = Number(isMarked) - Number(isJoined)
  return (lines[at]?.text.length ?? 0) + 1 + marks * markChars
}

function joinLines(lines: readonly OutputLine[]): string {
  const texts: string[] = []
  let next = 0
  for (const { number, text } of lines) {
    if (number > next) texts.push(mark(number - next))
    texts.push(text)
    next = number + 1
  }
  return texts.join('\n')
}

/** Drops blank lines and renumbers the others, so that a blank line never leaves a mark. */
function dropBlankLines(lines: readonly OutputLine[], lineMax: number): readonly OutputLine[] {
  const shown: OutputLine[] = []
  let blanks = 0
  for (const { number, text } of lines) {
    if (text.trim() === '') blanks++
    else shown.push({ number: number - blanks, text: shortenLine(text, lineMax) })
  }
  return shown
}

function shortenLine(text: string, charsMax: number): string {
  if (text.length <= charsMax || charsMax < lineEndChars) return text
  const head = text.slice(0, charsMax - lineEndChars - 3).replace(/[\ud800-\udbff]$/, '')
  return `${head} … ${text.slice(-lineEndChars).replace(/^[\udc00-\udfff]/, '')}`
}
