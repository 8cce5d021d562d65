/** Translates schema errors into messages for the author of a loop file. */

import type { z } from 'zod'
import { findNearestName } from '../../loop/index.ts'
import type { FileProblem } from './loop-file.ts'

const shownCharsMax = 60

/** A value as a message shows it: one line, always short. */
export function describeValue(value: unknown): string {
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

/** Escapes characters that could move the cursor or change the text direction. */
export function quoted(text: string, charsMax: number = shownCharsMax): string {
  const shown = text.length > charsMax ? `${text.slice(0, charsMax)}…` : text
  return JSON.stringify(shown).replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

export function unknownName(what: string, name: string, known: readonly string[]): string {
  const meant = findNearestName(name, known)
  const hint =
    meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`
  return `there is no ${what} ${quoted(name)}: ${hint}`
}

type Issue = z.core.$ZodIssue

/** Replaces the library's own messages where a schema does not define one. */
export function issueReason(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return missingOrWrong(issue.input, typeNames[issue.expected] ?? issue.expected)
    case 'invalid_value':
      return missingOrWrong(issue.input, issue.values.map(String).join(' or '))
    default:
      return undefined
  }
}

const missingOrWrong = (input: unknown, expected: string): string =>
  input === undefined
    ? `it is missing: expected ${expected}`
    : `expected ${expected}, found ${describeValue(input)}`

const typeNames: { readonly [type: string]: string } = {
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
        // `keys` sets this message to what a key is called here, and the list of known keys.
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

/** Of several forms, reports what is wrong with the one that the author most likely meant. */
function unionProblems(issue: UnionIssue, path: readonly PropertyKey[]): FileProblem[] {
  if (issue.errors.length === 0) return [{ path, reason: issue.message }]
  const ofThisKind = issue.errors.filter((form) => !form.some(isOtherKind))
  if (ofThisKind.length === 0) return [{ path, reason: describeKinds(issue) }]
  const fewestMissing = Math.min(...ofThisKind.map((form) => missingKeys(form).length))
  const closest = ofThisKind.filter((form) => missingKeys(form).length === fewestMissing)
  const fewestUnknown = Math.min(...closest.map((form) => unknownKeys(form).length))
  // Between forms that miss a key, prefer the one that knows all the given keys.
  const meant =
    fewestMissing === 0
      ? closest
      : closest.filter((form) => unknownKeys(form).length === fewestUnknown)
  const [first] = meant
  if (first !== undefined && (meant.length === 1 || fewestMissing === 0)) {
    const others = ofThisKind.filter((form) => form !== first)
    return issueProblems(first, path).map((problem) => explainForeignKey(problem, path, others))
  }
  const names = [...new Set(meant.flatMap(missingKeys))]
  const given = unknownKeys(first ?? [])
  const likely = given
    .map((name) => findNearestName(name, names))
    .find((name) => name !== undefined)
  const hint = likely === undefined ? '' : `; did you mean ${likely}?`
  return [{ path, reason: `expected one of the keys ${names.join(', ')}${hint}` }]
}

/** A key that another form has is not misspelled; it just does not fit here. */
function explainForeignKey(
  problem: FileProblem,
  { length }: readonly PropertyKey[],
  others: readonly (readonly Issue[])[],
): FileProblem {
  const name = String(problem.path[length])
  const isHere = problem.atKey === true && problem.path.length === length + 1
  if (!isHere || others.every((form) => unknownKeys(form).includes(name))) return problem
  return {
    ...problem,
    reason: 'this key cannot be combined with the others: remove it, or remove them',
  }
}

const unknownKeys = (form: readonly Issue[]): string[] =>
  form.flatMap((issue) =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  )

/** Text that matches no known value has the right type and is misspelled. */
const isOtherKind = (issue: Issue): boolean =>
  issue.path.length === 0 &&
  (issue.code === 'invalid_type' ||
    (issue.code === 'invalid_value' && typeof issue.input !== 'string'))

const missingKeys = (form: readonly Issue[]): string[] =>
  form
    .filter((issue) => issue.path.length === 1 && issue.message.startsWith('it is missing'))
    .map((issue) => String(issue.path[0]))

function describeKinds(issue: UnionIssue): string {
  const kinds = issue.errors.flatMap((form) => form.filter(isOtherKind)).map(describeKind)
  return missingOrWrong(issue.input, [...new Set(kinds)].join(' or '))
}

function describeKind(issue: Issue): string {
  if (issue.code === 'invalid_type') return typeNames[issue.expected] ?? issue.expected
  return issue.code === 'invalid_value' ? issue.values.map(String).join(', ') : 'another value'
}
