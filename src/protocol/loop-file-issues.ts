/** What a schema found wrong, in the words of somebody who writes a loop file. */

import type { z } from 'zod'
import { nearestName } from '../loop/index.ts'
import type { FileProblem } from './loop-file.ts'

const shownCharsMax = 60

/** A value as a message shows it: one line, never long. */
export function found(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the text ${quoted(value)}`
    case 'number':
      return `the number ${value}`
    case 'boolean':
      return `${value}`
    case 'object':
      if (value === null) return 'nothing'
      return Array.isArray(value) ? 'a list' : 'keys and values'
    default:
      return 'nothing'
  }
}

/** Escapes whatever could move the cursor or turn the direction of the text round. */
export function quoted(text: string, charsMax: number = shownCharsMax): string {
  const shown = text.length > charsMax ? `${text.slice(0, charsMax)}…` : text
  return JSON.stringify(shown).replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

export function unknownName(what: string, name: string, known: readonly string[]): string {
  const meant = nearestName(name, known)
  const hint =
    meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`
  return `there is no ${what} ${quoted(name)}: ${hint}`
}

type Issue = z.core.$ZodIssue

/** In place of the library's own messages, wherever a schema has none of ours. */
export function issueReason(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return missingOr(issue.input, typeWords[issue.expected] ?? issue.expected)
    case 'invalid_value':
      return missingOr(issue.input, issue.values.map(String).join(' or '))
    default:
      return undefined
  }
}

const missingOr = (input: unknown, expected: string): string =>
  input === undefined
    ? `it is missing: expected ${expected}`
    : `expected ${expected}, found ${found(input)}`

const typeWords: { readonly [type: string]: string } = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys and values',
  record: 'names and values',
}

export function issueProblems(
  issues: readonly Issue[],
  above: readonly PropertyKey[] = [],
): FileProblem[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path]
    switch (issue.code) {
      case 'unrecognized_keys': {
        // The message of this one is what keys are called here, and those that there are.
        const [what = '', ...known] = issue.message.split(', ')
        return issue.keys.map((name) => ({
          path: [...path, name],
          reason: unknownName(what, name, known),
          atKey: true,
        }))
      }
      case 'invalid_key':
        return issue.issues.map(({ message }) => ({ path, reason: message, atKey: true }))
      case 'invalid_union':
        return unionProblems(issue, path)
      default:
        return [{ path, reason: issue.message }]
    }
  })
}

type UnionIssue = Extract<Issue, { code: 'invalid_union' }>

/** Of several forms, what is wrong with the one that was meant. */
function unionProblems(issue: UnionIssue, path: readonly PropertyKey[]): FileProblem[] {
  if (issue.errors.length === 0) return [{ path, reason: issue.message }]
  const ofThisKind = issue.errors.filter((form) => !form.some(isOtherKind))
  if (ofThisKind.length === 0) return [{ path, reason: otherKind(issue) }]
  const fewest = Math.min(...ofThisKind.map((form) => missingKeys(form).length))
  const near = ofThisKind.filter((form) => missingKeys(form).length === fewest)
  const strangers = Math.min(...near.map((form) => unknownKeys(form).length))
  // One that lacks a key, and knows all that are there, is meant rather than one that knows fewer.
  const meant = fewest === 0 ? near : near.filter((form) => unknownKeys(form).length === strangers)
  const [first] = meant
  if (first !== undefined && (meant.length === 1 || fewest === 0)) {
    const others = ofThisKind.filter((form) => form !== first)
    return issueProblems(first, path).map((problem) => ofAnotherForm(problem, path, others))
  }
  const names = [...new Set(meant.flatMap(missingKeys))]
  const given = unknownKeys(first ?? [])
  const likely = given.map((name) => nearestName(name, names)).find((name) => name !== undefined)
  const hint = likely === undefined ? '' : `; did you mean ${likely}?`
  return [{ path, reason: `expected one of the keys ${names.join(', ')}${hint}` }]
}

/** A key that only another form has is not misspelt. */
function ofAnotherForm(
  problem: FileProblem,
  { length }: readonly PropertyKey[],
  others: readonly (readonly Issue[])[],
): FileProblem {
  const name = String(problem.path[length])
  const isHere = problem.atKey === true && problem.path.length === length + 1
  if (!isHere || others.every((form) => unknownKeys(form).includes(name))) return problem
  return { ...problem, reason: 'this key does not go with the others here: remove it, or them' }
}

const unknownKeys = (form: readonly Issue[]): string[] =>
  form.flatMap((issue) =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  )

/** A text that is none of those that are known is of the right kind, and misspelt. */
const isOtherKind = (issue: Issue): boolean =>
  issue.path.length === 0 &&
  (issue.code === 'invalid_type' ||
    (issue.code === 'invalid_value' && typeof issue.input !== 'string'))

const missingKeys = (form: readonly Issue[]): string[] =>
  form
    .filter((issue) => issue.path.length === 1 && issue.message.startsWith('it is missing'))
    .map((issue) => String(issue.path[0]))

function otherKind(issue: UnionIssue): string {
  const kinds = issue.errors.flatMap((form) => form.filter(isOtherKind)).map(kindOf)
  return missingOr(issue.input, [...new Set(kinds)].join(' or '))
}

function kindOf(issue: Issue): string {
  if (issue.code === 'invalid_type') return typeWords[issue.expected] ?? issue.expected
  return issue.code === 'invalid_value' ? issue.values.map(String).join(', ') : 'another value'
}
