/** What is wrong with a loop file, as data and as a message: one line for each problem. */

import { LoopError } from '../../loop/index.ts'

export interface LoopFileProblem {
  readonly file: string
  /** 1 is the first; 0 in a file that is code, where only the key is known. */
  readonly line: number
  /** 1 is the first character. */
  readonly column: number
  /** `checks.test.timeout`, `prompt[2].name`; `the file` for all of it. */
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
  problems === 1 ? 'there is a problem' : `there are ${problems} problems`

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

/** What could move the cursor, or start a line of its own, is shown as its number. */
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
