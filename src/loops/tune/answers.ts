/**
 * An answers file: what a person decided before the run, by the name of the question. JSON, or a line for each answer.
 *
 *   baseline: begin
 *   pick: 1.1            any question "pick 1", "pick 2", … that has no line of its own
 *   pick 2: skip
 */

import { isJsonObject } from '../../protocol/index.ts'

export interface Answers {
  readonly given: ReadonlyMap<string, string>
  /** Questions that it answered before. A phase that is gone back to asks again, and a file would answer so forever. */
  readonly used: ReadonlySet<string>
}

export const noAnswers: Answers = { given: new Map(), used: new Set() }

/** Who gave such an answer. */
export const answersFile = 'the answers file'

const answersMax = 1000
const answerCharsMax = 20_000

/** A text: what is wrong with it. */
export function parseAnswers(text: string): Answers['given'] | string {
  const pairs = text.trimStart().startsWith('{') ? parseJson(text) : parseLines(text)
  if (typeof pairs === 'string') return pairs
  if (pairs.length > answersMax) return `it has more than ${answersMax} answers`
  const long = pairs.find(([, answer]) => answer.length > answerCharsMax)
  if (long !== undefined)
    return `the answer to "${long[0]}" has more than ${answerCharsMax} characters`
  const answers = new Map(pairs)
  if (answers.size < pairs.length) return 'it answers a question twice'
  return answers
}

type Pairs = readonly (readonly [name: string, answer: string])[]

function parseJson(text: string): Pairs | string {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    return `it is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
  if (!isJsonObject(parsed)) return 'it is not an object of answers by the name of the question'
  const pairs: (readonly [string, string])[] = []
  for (const [name, answer] of Object.entries(parsed)) {
    if (typeof answer === 'string') pairs.push([name, answer])
    else if (typeof answer === 'number' || typeof answer === 'boolean') {
      pairs.push([name, `${answer}`])
    } else return `the answer to "${name}" is not a text`
  }
  return pairs
}

function parseLines(text: string): Pairs | string {
  const pairs: (readonly [string, string])[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const found = /^\s*([^:]{1,200}?)\s*:\s*(.*?)\s*$/.exec(line)
    if (found === null) return `line ${at + 1} is not "question: answer"`
    const [, name = '', answer = ''] = found
    pairs.push([name, answer])
  }
  return pairs
}

/** Of exactly this question, else of all of its kind: without the number at the end. */
export const findAnswer = ({ given, used }: Answers, name: string): string | undefined =>
  used.has(name) ? undefined : (given.get(name) ?? given.get(name.replace(/ \d+$/, '')))
