/** The problems of a loop file, as data and as a message with one line for each. */

import { plural } from '../../loop/excerpt/plural.ts'
import { LoopError } from '../../loop/index.ts'

export interface LoopFileProblem {
  readonly file: string
  /** Starts at 1. 0 for a loop in code, where only the key is known. */
  readonly line: number
  /** Starts at 1. */
  readonly column: number
  /** Such as `checks.test.timeout` or `prompt[2].name`; `the file` for the whole file. */
  readonly path: string
  readonly reason: string
}

const shownMax = 20
const reasonCharsMax = 400
const pathCharsMax = 120

/** A loop file with errors, each with its line and column. */
export class LoopFileError extends LoopError {
  readonly problems: readonly LoopFileProblem[]
  constructor(file: string, problems: readonly LoopFileProblem[]) {
    const kept = problems.slice(0, shownMax)
    const more = problems.length - kept.length
    super(
      'bad-loop-file',
      [
        `${oneLine(file)} cannot be used: ${countOf(problems.length)}. ` +
          `Correct ${problems.length === 1 ? 'it' : 'them'}, then try: ` +
          `loopctl validate ${oneLine(file)}`,
        ...kept.map(describeProblem),
        ...(more > 0 ? [`and ${more} more`] : []),
      ].join('\n'),
    )
    this.problems = kept
  }
}

const countOf = (problems: number): string =>
  problems === 1 ? 'there is a problem' : `there are ${plural(problems, 'problem')}`

/** `file:line:column: path: reason`, on one line. */
export function describeProblem(problem: LoopFileProblem): string {
  const { file, line, column, path, reason } = problem
  const shownPath = oneLine(shortened(path, pathCharsMax))
  const shownReason = oneLine(shortened(reason, reasonCharsMax))
  const place = line === 0 ? '' : `:${line}:${column}`
  return `${oneLine(file)}${place}: ${shownPath}: ${shownReason}`
}

const shortened = (text: string, charsMax: number): string =>
  text.length > charsMax ? `${text.slice(0, charsMax)}…` : text

/** Escapes characters that could move the cursor or start a new line. */
export const oneLine = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )

export function pathName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file'
  return path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`
      const name = String(key)
      if (!/^[\w$-]+$/.test(name)) return `[${JSON.stringify(name)}]`
      return index === 0 ? name : `.${name}`
    })
    .join('')
}
