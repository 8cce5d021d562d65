/** Describes template errors in this project's terms, with their position in the text. */

import { findNearestName, NotJsonError, textOf } from '../loop/index.ts'
import { outputMax } from './template-engine.ts'
import { findUnknown, type UnknownVariable, type VariableShape } from './template-variables.ts'

export interface Problem {
  readonly reason: string
  readonly line: number
  readonly column: number
}

/** The context of the error. */
export interface ProblemContext {
  readonly text: string
  readonly engine: { readonly filters: readonly string[]; readonly tags: readonly string[] }
  readonly known: VariableShape | undefined
}

const reasonCharsMax = 500
const knownMax = 12

export function describeProblem(error: unknown, context: ProblemContext): Problem {
  const index = findErrorIndex(error, context.text)
  const message = textOf(error).replace(/, line:\d+, col:\d+$/, '')
  const [, filter] = /^undefined filter: (.*)$/s.exec(message) ?? []
  const at = filter === undefined ? index : findFilter(context.text, index, filter)
  const reason = describeReason(message, error, context)
  return { ...toLineAndColumn(context.text, at), reason: shorten(reason) }
}

export function describeUnknown({ path, nearest, known }: UnknownVariable): string {
  const others = known.length === 0 ? 'It has no parts.' : `There are: ${joinNames(known)}.`
  const advice = nearest === undefined ? others : `Did you mean "${nearest}"?`
  return shorten(`there is no variable "${path}". ${advice}`)
}

function describeReason(message: string, error: unknown, context: ProblemContext): string {
  const { filters, tags } = context.engine
  const [, variable] = /^undefined variable: (.*)$/s.exec(message) ?? []
  if (variable !== undefined) return describeUnknownVariable(variable, context.known)
  const [, filter] = /^undefined filter: (.*)$/s.exec(message) ?? []
  if (filter !== undefined) return `there is no filter "${filter}". ${suggest(filter, filters)}`
  const [, tag] = /^tag "(.*)" not found$/s.exec(message) ?? []
  if (tag !== undefined) {
    return /^(include|render|layout|block)$/.test(tag)
      ? `there is no tag "${tag}": a template cannot read other files. Pass their text as input.`
      : `there is no tag "${tag}". ${suggest(tag, tags)}`
  }
  if (message.startsWith('memory alloc limit') || message.includes('Invalid string length')) {
    return `it makes more than ${outputMax} characters. Pass shorter values or simplify it.`
  }
  if (message.startsWith('template render limit')) return 'it takes too long. Simplify it.'
  if (message.includes('Maximum call stack')) return 'it is nested too deeply. Simplify it.'
  if (error instanceof NotJsonError) return `its values cannot be used: ${message}.`
  return `${message}.`
}

function describeUnknownVariable(path: string, known: VariableShape | undefined): string {
  const [, list, item] = /^(.*)\.(-?\d+)$/s.exec(path) ?? []
  if (list !== undefined) {
    return `there is no item ${item} in "${list}". Check its size first, or use a loop.`
  }
  const unknown = known === undefined ? undefined : findUnknown(path.split('.'), known)
  // A variable that the template defines, such as a loop variable, is not among the inputs.
  return unknown === undefined || unknown.path !== path
    ? `there is no variable "${path}". Assign it a value or remove it.`
    : describeUnknown(unknown)
}

function suggest(name: string, known: readonly string[]): string {
  const nearest = findNearestName(name, known)
  if (nearest !== undefined) return `Did you mean "${nearest}"?`
  return `There are: ${joinNames(known.toSorted())}.`
}

function joinNames(names: readonly string[]): string {
  const shown = names.slice(0, knownMax).join(', ')
  return names.length > knownMax ? `${shown} and ${names.length - knownMax} more` : shown
}

const shorten = (text: string): string =>
  text.length <= reasonCharsMax ? text : `${text.slice(0, reasonCharsMax - 1)}…`

/** The position of the error, as far as the library knows it. */
function findErrorIndex(error: unknown, text: string): number {
  if (typeof error !== 'object' || error === null || !('token' in error)) return 0
  const { token } = error
  if (typeof token !== 'object' || token === null) return 0
  if (!('input' in token) || token.input !== text || !('begin' in token)) return 0
  return typeof token.begin === 'number' ? token.begin : 0
}

/** The library only knows where the tag starts. */
function findFilter(text: string, begin: number, name: string): number {
  for (let at = text.indexOf('|', begin); at >= 0; at = text.indexOf('|', at + 1)) {
    const after = text.slice(at + 1, at + 200)
    const word = after.trimStart()
    if (word.startsWith(name) && !/^[\w-]/.test(word.slice(name.length))) {
      return at + 1 + after.length - word.length
    }
  }
  return begin
}

function toLineAndColumn(
  text: string,
  index: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, index)
  const line = before.split('\n').length
  return { line, column: index - before.lastIndexOf('\n') }
}
