/** What is wrong with a template, in words of this project and at its place in the text. */

import { NotJsonError, nearestName, textOf } from '../loop/index.ts'
import { madeMax } from './template-engine.ts'
import { type Shape, type UnknownVariable, unknownIn } from './template-variables.ts'

export interface Problem {
  readonly reason: string
  readonly line: number
  readonly column: number
}

/** What there was, when it went wrong. */
export interface Surroundings {
  readonly text: string
  readonly engine: { readonly filters: readonly string[]; readonly tags: readonly string[] }
  readonly known: Shape | undefined
}

const reasonCharsMax = 500
const knownMax = 12

export function describeProblem(error: unknown, around: Surroundings): Problem {
  const index = indexOf(error, around.text)
  const message = textOf(error).replace(/, line:\d+, col:\d+$/, '')
  const [, filter] = /^undefined filter: (.*)$/s.exec(message) ?? []
  const at = filter === undefined ? index : indexOfFilter(around.text, index, filter)
  const reason = reasonFor(message, error, around)
  return { ...placeOf(around.text, at), reason: shortened(reason) }
}

export function describeUnknown({ path, nearest, known }: UnknownVariable): string {
  const others = known.length === 0 ? 'It has no parts.' : `There are: ${listed(known)}.`
  const advice = nearest === undefined ? others : `Did you mean "${nearest}"?`
  return shortened(`there is no variable "${path}". ${advice}`)
}

function reasonFor(message: string, error: unknown, around: Surroundings): string {
  const { filters, tags } = around.engine
  const [, variable] = /^undefined variable: (.*)$/s.exec(message) ?? []
  if (variable !== undefined) return unknownVariable(variable, around.known)
  const [, filter] = /^undefined filter: (.*)$/s.exec(message) ?? []
  if (filter !== undefined) return `there is no filter "${filter}". ${meant(filter, filters)}`
  const [, tag] = /^tag "(.*)" not found$/s.exec(message) ?? []
  if (tag !== undefined) {
    return /^(include|render|layout|block)$/.test(tag)
      ? `there is no tag "${tag}": a template cannot read other files. Give their text as input.`
      : `there is no tag "${tag}". ${meant(tag, tags)}`
  }
  if (message.startsWith('memory alloc limit') || message.includes('Invalid string length')) {
    return `it makes more than ${madeMax} characters. Give it less, or make it do less.`
  }
  if (message.startsWith('template render limit')) return 'it takes too long. Make it do less.'
  if (message.includes('Maximum call stack')) return 'it is nested too deeply. Simplify it.'
  if (error instanceof NotJsonError) return `its values cannot be used: ${message}.`
  return `${message}.`
}

function unknownVariable(path: string, known: Shape | undefined): string {
  const [, list, item] = /^(.*)\.(-?\d+)$/s.exec(path) ?? []
  if (list !== undefined) {
    return `there is no item ${item} in "${list}". Ask for its size first, or go over it with a loop.`
  }
  const unknown = known === undefined ? undefined : unknownIn(path.split('.'), known)
  // A name of the template's own, such as that of a loop, is not in what was given.
  return unknown === undefined || unknown.path !== path
    ? `there is no variable "${path}". Give it a value, or take it out.`
    : describeUnknown(unknown)
}

function meant(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  if (nearest !== undefined) return `Did you mean "${nearest}"?`
  return `There are: ${listed(known.toSorted())}.`
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, knownMax).join(', ')
  return names.length > knownMax ? `${shown} and ${names.length - knownMax} more` : shown
}

const shortened = (text: string): string =>
  text.length <= reasonCharsMax ? text : `${text.slice(0, reasonCharsMax - 1)}…`

/** Where it went wrong, as far as the library knows. */
function indexOf(error: unknown, text: string): number {
  if (typeof error !== 'object' || error === null || !('token' in error)) return 0
  const { token } = error
  if (typeof token !== 'object' || token === null) return 0
  if (!('input' in token) || token.input !== text || !('begin' in token)) return 0
  return typeof token.begin === 'number' ? token.begin : 0
}

/** The library only knows where the tag begins. */
function indexOfFilter(text: string, begin: number, name: string): number {
  for (let at = text.indexOf('|', begin); at >= 0; at = text.indexOf('|', at + 1)) {
    const after = text.slice(at + 1, at + 200)
    const word = after.trimStart()
    if (word.startsWith(name) && !/^[\w-]/.test(word.slice(name.length))) {
      return at + 1 + after.length - word.length
    }
  }
  return begin
}

function placeOf(text: string, index: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, index)
  const line = before.split('\n').length
  return { line, column: index - before.lastIndexOf('\n') }
}
