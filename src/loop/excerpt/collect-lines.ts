/**
 * Collects the lines of an output that may be worth showing: its beginning, its end, and the context of
 * what looks like a failure. Memory use does not grow with the output.
 *
 * Linear time: each line is cut before a regular expression sees it.
 */

import { plainOutput } from '../plain-output.ts'
import { isKnownFailure, isPossibleFailure } from './runners.ts'

export interface OutputLine {
  /** Its index in the output, from 0. */
  readonly number: number
  readonly text: string
}

export interface LineCollector {
  push(text: string): void
  /** The collected lines, in order. Call it last. */
  end(): readonly OutputLine[]
}

export const lineCharsMax = 2000
const lineEndChars = 500
const headCharsMax = 16_384
const tailCharsMax = 65_536
const linesBefore = 12
const linesAfter = 40
/** For failures in a runner's format, and for lines that only look like a failure. */
const knownCharsMax = 131_072
const possibleCharsMax = 32_768

export function createLineCollector(): LineCollector {
  const kept: OutputLine[] = []
  const recent = createRecentLines()
  const open = createOpenLine()
  let number = 0
  let headChars = 0
  let following = 0
  let room = { known: knownCharsMax, possible: possibleCharsMax }
  let budget: 'known' | 'possible' = 'possible'

  const lastKept = (): number => kept.at(-1)?.number ?? -1

  function mark(text: string): void {
    const isSure = isKnownFailure(text)
    const next = isSure ? 'known' : isPossibleFailure(text) ? 'possible' : undefined
    if (next === undefined || room[next] <= 0) return
    if (following > 0 && budget === 'known' && !isSure) return
    budget = next
    for (const line of recent.last(linesBefore)) if (line.number > lastKept()) keep(line)
    following = linesAfter
  }

  function keep(line: OutputLine): void {
    kept.push(line)
    room = { ...room, [budget]: room[budget] - line.text.length - 1 }
  }

  function add(text: string): void {
    const line = { number, text }
    number++
    if (headChars < headCharsMax) {
      headChars += text.length + 1
      kept.push(line)
      return
    }
    mark(text)
    if (following > 0) {
      following = room[budget] > 0 ? following - 1 : 0
      keep(line)
    }
    recent.add(line)
  }

  return {
    push(text) {
      let from = 0
      for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
        open.append(text, from, to)
        add(open.take())
        from = to + 1
      }
      open.append(text, from, text.length)
    },
    end() {
      const last = open.take()
      if (last !== '') add(last)
      const after = lastKept()
      return [...kept, ...recent.all().filter((line) => line.number > after)]
    },
  }
}

interface OpenLine {
  append(text: string, from: number, to: number): void
  /** The line, without escape sequences. */
  take(): string
}

/** Of a very long line only the beginning and the end are kept. */
function createOpenLine(): OpenLine {
  let head = ''
  let tail = ''
  let isCut = false
  return {
    append(text, from, to) {
      const room = lineCharsMax - head.length
      const middle = Math.min(to, from + Math.max(0, room))
      if (middle > from) head += text.slice(from, middle)
      if (to === middle) return
      isCut ||= tail.length + to - middle > lineEndChars
      tail = (tail + text.slice(Math.max(middle, to - lineEndChars), to)).slice(-lineEndChars)
    },
    take() {
      const line = plainOutput(isCut ? `${head}…${tail}` : head + tail)
      head = ''
      tail = ''
      isCut = false
      return line.trimEnd()
    },
  }
}

interface RecentLines {
  add(line: OutputLine): void
  last(count: number): readonly OutputLine[]
  all(): readonly OutputLine[]
}

function createRecentLines(): RecentLines {
  let lines: OutputLine[] = []
  let first = 0
  let chars = 0
  return {
    add(line) {
      lines.push(line)
      chars += line.text.length + 1
      for (let old = lines[first]; old !== undefined && chars > tailCharsMax; old = lines[first]) {
        chars -= old.text.length + 1
        first++
      }
      // Compacted only rarely, since it copies all lines.
      if (first < 10_000) return
      lines = lines.slice(first)
      first = 0
    },
    last: (count) => lines.slice(Math.max(first, lines.length - count)),
    all: () => lines.slice(first),
  }
}
