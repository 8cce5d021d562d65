/**
 * Answers to questions. A person chooses an option, writes a text, or answers by kind: accept, edit, respond or reject.
 * Each becomes one decision that contains the option it stands for.
 */

import type { AnswerDecision, AnswerKind } from '../decision.ts'
import { type Json, toJson } from '../json.ts'
import { type Question, selectedBy } from '../question.ts'

/** What a person sends. */
export interface AnswerInput {
  /** An option, a text, or with `respond` what they say. */
  readonly answer?: string
  readonly kind?: AnswerKind
  /** With `edit`: the edited value. */
  readonly value?: Json
  /** The code at the end of the full review, if the option requires it. */
  readonly code?: string
}

export type ResolvedAnswer = Pick<AnswerDecision, 'answer' | 'kind' | 'text' | 'value'>

export type AnswerResolution =
  | { readonly type: 'resolved'; readonly answer: ResolvedAnswer }
  | { readonly type: 'invalid'; readonly problem: string }

const textCharsMax = 100_000

/** The kinds that a question takes. One without options takes any text, which is a response. */
export const listAnswerKinds = (question: Question): readonly AnswerKind[] =>
  answerKinds.filter((kind) => isTaken(question, kind))

const answerKinds: readonly AnswerKind[] = ['accept', 'edit', 'respond', 'reject']

const isTaken = ({ options, kinds }: Question, kind: AnswerKind): boolean =>
  selectedBy(kinds)[kind] !== undefined || (kind === 'respond' && options === undefined)

/** Turns what a person sends into the option that it stands for, or says why it is invalid. */
export function resolveAnswer(question: Question, given: AnswerInput): AnswerResolution {
  const { answer, kind, value, code } = given
  if (kind === undefined) {
    if (answer === undefined) return invalid('Pass an answer, or one of the kinds it takes.')
    const problem = findAnswerProblem(question, answer)
    return problem === undefined ? resolved({ answer }) : invalid(problem)
  }
  if (!isTaken(question, kind)) return invalid(describeNotTaken(question, kind))
  const option = selectedBy(question.kinds)[kind]
  if (kind === 'respond') {
    const text = answer?.trim() ?? ''
    if (text === '') return invalid('A response needs a text.')
    if (text.length > textCharsMax)
      return invalid(`A response has at most ${textCharsMax} characters.`)
    return resolved(option === undefined ? { answer: text, kind } : { answer: option, kind, text })
  }
  const chosen = withCode(question, option ?? '', code)
  if (answer !== undefined && answer !== option && answer !== chosen) {
    return invalid(`${kind} means "${option}", but the answer says "${answer}". Send one of them.`)
  }
  const problem = findAnswerProblem(question, chosen)
  if (problem !== undefined) return invalid(problem)
  if (kind !== 'edit') return resolved({ answer: chosen, kind })
  return resolveEdit(question.kinds?.edit?.value, value, chosen)
}

function resolveEdit(proposed: Json | undefined, given: unknown, answer: string): AnswerResolution {
  let value: Json
  try {
    value = toJson(given)
  } catch {
    return invalid('The edited value is not JSON.')
  }
  if (JSON.stringify(value).length > textCharsMax) return invalid('The edited value is too long.')
  const problem = findEditProblem(proposed, value)
  if (problem !== undefined) return invalid(`The edited value does not fit: ${problem}.`)
  return resolved({ answer, kind: 'edit', value })
}

const resolved = (answer: ResolvedAnswer): AnswerResolution => ({ type: 'resolved', answer })
const invalid = (problem: string): AnswerResolution => ({ type: 'invalid', problem })

function describeNotTaken(question: Question, kind: AnswerKind): string {
  const kinds = listAnswerKinds(question)
  const { options } = question
  const choice = options === undefined ? [] : [`one of: ${options.join(', ')}`]
  return `This question does not take ${kind}; it takes ${[...kinds, ...choice].join(', ')}`
}

function withCode({ confirm }: Question, option: string, code: string | undefined): string {
  return confirm?.option === option && code !== undefined ? `${option} ${code.trim()}` : option
}

/** Why an answer is invalid; undefined if it is valid. */
export function findAnswerProblem(question: Question, answer: string): string | undefined {
  const { confirm } = question
  if (confirm !== undefined && answer.split(' ', 1)[0] === confirm.option) {
    return answer === formatConfirmedAnswer(confirm) ? undefined : needsCode(confirm.option)
  }
  if (question.options === undefined || question.options.includes(answer)) return undefined
  return `"${answer}" is not an option; choose one of: ${question.options.join(', ')}`
}

/** The answer that selects an option which requires a code. */
export const formatConfirmedAnswer = ({ option, code }: NonNullable<Question['confirm']>): string =>
  `${option} ${code}`

const needsCode = (option: string): string =>
  `The question does not show every file that "${option}" applies to. Read the full review with ` +
  `"loopctl diff --review <run>", then answer with the code at its end: ${option} <code>`

/** Why an edited value cannot replace what was proposed; undefined if it can. */
export function findEditProblem(
  proposed: Json | undefined,
  edited: Json,
  at = 'it',
): string | undefined {
  // Nothing is known about what could be there.
  if (proposed === undefined || proposed === null) return undefined
  const [was, is] = [typeName(proposed), typeName(edited)]
  if (was !== is) return `${at} is ${is}, not ${was}`
  if (Array.isArray(proposed) && Array.isArray(edited)) {
    const [first] = proposed
    if (first === undefined) return undefined
    return firstOf(edited.map((one, index) => findEditProblem(first, one, `${at}[${index}]`)))
  }
  if (typeof proposed !== 'object' || typeof edited !== 'object') return undefined
  return findKeyProblem(proposed as JsonObject, edited as JsonObject, at)
}

type JsonObject = { readonly [key: string]: Json }

function findKeyProblem(proposed: JsonObject, edited: JsonObject, at: string): string | undefined {
  const unknown = Object.keys(edited).find((key) => !Object.hasOwn(proposed, key))
  if (unknown !== undefined) return `${at} has the unknown key "${unknown}"`
  return firstOf(
    Object.entries(proposed).map(([key, value]) =>
      Object.hasOwn(edited, key)
        ? findEditProblem(value, edited[key] ?? null, `${at}.${key}`)
        : `${at} lacks the key "${key}"`,
    ),
  )
}

const firstOf = (problems: readonly (string | undefined)[]): string | undefined =>
  problems.find((one) => one !== undefined)

function typeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return 'text'
    case 'number':
      return 'a number'
    case 'boolean':
      return 'true or false'
    default:
      return 'an object'
  }
}
