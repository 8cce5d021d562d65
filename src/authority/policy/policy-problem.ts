/** What is wrong in a policy file, and where. */

import { defined, findNearestName } from '../../loop/index.ts'
import { actionNames } from './policy-language.ts'

/** What is wrong in a policy file, and what to write instead. */
export interface PolicyProblem {
  readonly file: string
  /** Starts at 1. */
  readonly line: number
  /** Starts at 1. */
  readonly column: number
  readonly reason: string
  /** What to write instead, or how to correct it. */
  readonly suggestion?: string
}

/** The form in which Cedar reports errors. Offsets are in bytes. */
interface CedarError {
  readonly message: string
  readonly help: string | null
  readonly sourceLocations?: readonly { readonly label: string | null; readonly start: number }[]
  readonly related?: readonly CedarError[]
}

/** The name and the content of a policy file. */
export interface PolicyText {
  readonly file: string
  readonly text: string
}

/** One problem for the error and one for each that it caused, in the order of the text. */
export function toProblems(source: PolicyText, errors: readonly CedarError[]): PolicyProblem[] {
  return errors
    .flatMap((error) => [toProblem(source, error), ...toProblems(source, error.related ?? [])])
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
}

function toProblem(source: PolicyText, error: CedarError): PolicyProblem {
  const [at] = error.sourceLocations ?? []
  const message = error.message.replace(/^for policy `[^`]*`, /, '')
  const label = at?.label ?? undefined
  const reason = label === undefined ? message : `${message}: ${label}`
  const suggestion =
    suggestAction(error.message) ?? suggestWord(error.message) ?? error.help ?? undefined
  return {
    file: source.file,
    ...positionAt(source.text, at?.start ?? 0),
    reason,
    ...defined({ suggestion }),
  }
}

/** Cedar compares whole entities, which finds unrelated actions. */
function suggestAction(message: string): string | undefined {
  const [, wanted] = /unrecognized action `Action::"([^"]*)"`/.exec(message) ?? []
  if (wanted === undefined) return undefined
  const near = findNearestName(wanted, actionNames)
  return near === undefined
    ? `use one of ${actionNames.map((name) => `Action::"${name}"`).join(', ')}`
    : `did you mean \`Action::"${near}"\`?`
}

const words = ['when', 'unless', 'permit', 'forbid', 'principal', 'action', 'resource', 'context']

function suggestWord(message: string): string | undefined {
  const [, wanted] =
    /(?:invalid policy condition|invalid policy effect|invalid variable): (\w+)/.exec(message) ?? []
  const near = wanted === undefined ? undefined : findNearestName(wanted, words)
  return near === undefined ? undefined : `did you mean \`${near}\`?`
}

/** `offset` is in bytes. */
export function positionAt(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = Buffer.from(text).subarray(0, offset).toString('utf8')
  const lines = before.split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/** `file:line:column: reason (suggestion)`. */
export const describePolicyProblem = (problem: PolicyProblem): string => {
  const { file, line, column, reason, suggestion } = problem
  return `${file}:${line}:${column}: ${reason}${suggestion === undefined ? '' : ` (${suggestion})`}`
}
