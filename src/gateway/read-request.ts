/**
 * The little that the gateway must know of a request: the model, whether it streams, how much output it
 * may make. Everything else stays unread.
 *
 * G1. A request leaves as it came, byte for byte, but for its limit of output tokens.
 * G2. No request is read differently here and at the provider: a name that is there twice is refused.
 * E9. What is expensive to parse is not parsed, and of what was parsed nothing stays but small values:
 *     requests wait long for their answers, and many at once.
 */

import { serviceFactor } from './extra-price.ts'
import { bringsInput } from './hidden-input.ts'
import {
  applyEdits,
  type Edit,
  insertMember,
  type Members,
  membersOf,
  type Span,
} from './json-members.ts'
import { countNames, jsonBounds, weighJson } from './json-weight.ts'
import type { Route, WireFormat } from './route.ts'

export interface RequestShape {
  readonly model: string
  readonly streamed: boolean
  /** What the client allows. */
  readonly outputTokens: number | undefined
  /** The provider refuses less than this: thinking is part of the output. */
  readonly outputTokensMin: number
  /** Answers asked for at once. */
  readonly choices: number
  /** Some of the input is not in the request: the provider brings it, or may. */
  readonly hasHiddenInput: boolean
  /** Whether input may go into the provider's cache, which costs more, and for an hour more still. */
  readonly cacheWrites: 'none' | 'short' | 'hour'
  readonly offersTools: boolean
  /** How many times the usual price: for service that is faster than usual, or in one place only. */
  readonly priceFactor: number
  /** The same request with this limit. The name is for formats that have two. */
  limitedTo(tokens: number, name: LimitName): Buffer
}

export type LimitName = 'max_tokens' | 'max_completion_tokens'

type Fields = Readonly<Record<string, unknown>>

export function readRequest(
  route: Route,
  body: Buffer,
): RequestShape | { readonly problem: string } {
  const weight = weighJson(body)
  if (weight.values > jsonBounds.values || weight.depth > jsonBounds.depth) {
    const { values, depth } = jsonBounds
    const problem = `The body has more than ${values} values, or more than ${depth} within each other.`
    return { problem: `${problem} Send less.` }
  }
  const fields = parseObject(body)
  const members = fields === undefined ? undefined : membersOf(body)
  if (fields === undefined || members === undefined) {
    return { problem: 'The body is not a JSON object.' }
  }
  const inner = innerMembers(route.format, body, members)
  const twice = members.twice ?? inner?.members?.twice ?? bothNames(members, inner?.members)
  if (twice !== undefined) {
    return { problem: `The body has "${twice.slice(0, 100)}" twice. Send it once.` }
  }
  if (fields['background'] === true) {
    return { problem: 'Work in the background cannot be metered. Send it without "background".' }
  }
  const model = route.model ?? fields['model']
  if (typeof model !== 'string' || model === '' || model.length > 300) {
    return { problem: 'The body names no model.' }
  }
  const values = valuesOf(route, fields, body)
  const hasHiddenInput = values.hasHiddenInput || countNames(fields) !== weight.names
  const limit = limitPlace(route.format, members, inner)
  // A copy: a piece of a text keeps all of it.
  return {
    model: Buffer.from(model).toString(),
    ...values,
    hasHiddenInput,
    ...limiter(body, limit),
  }
}

type Values = Omit<RequestShape, 'model' | 'limitedTo'>

function valuesOf({ format, streamed }: Route, fields: Fields, body: Buffer): Values {
  const limits = innerFields(format, fields)
  return {
    streamed: streamed || fields['stream'] === true,
    outputTokens: smallest(limitNames[format].map((name) => limits[name])),
    outputTokensMin: thinkingTokens(fields) + 1,
    choices: choicesOf(fields, limits),
    hasHiddenInput: bringsInput(format, fields),
    cacheWrites: !body.includes('"cache_control"')
      ? 'none'
      : body.includes('"1h"')
        ? 'hour'
        : 'short',
    offersTools: ['tools', 'functions'].some((name) => isFilled(fields[name])),
    priceFactor: serviceFactor(format, fields),
  }
}

/** Apart, so that it holds nothing but the body, which is kept anyway, and places in it. */
function limiter(body: Buffer, place: LimitPlace): Pick<RequestShape, 'limitedTo'> {
  return { limitedTo: (tokens, name) => applyEdits(body, limitEdits(place, tokens, name)) }
}

const limitNames: Readonly<Record<WireFormat, readonly string[]>> = {
  anthropic: ['max_tokens'],
  chat: ['max_completion_tokens', 'max_tokens'],
  responses: ['max_output_tokens'],
  gemini: ['maxOutputTokens', 'max_output_tokens'],
}

/** Gemini reads names in either style. */
const configNames = ['generationConfig', 'generation_config']

function parseObject(body: Buffer): Fields | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined
  } catch {
    return undefined
  }
}

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0

interface Inner {
  readonly name: string
  /** Absent when the value is no object. */
  readonly members: Members | undefined
}

function innerMembers(format: WireFormat, body: Buffer, members: Members): Inner | undefined {
  if (format !== 'gemini') return undefined
  const name = configNames.find((one) => members.values.has(one))
  const span = name === undefined ? undefined : members.values.get(name)
  if (name === undefined || span === undefined) return undefined
  return { name, members: membersOf(body, span.from) }
}

function bothNames(members: Members, inner: Members | undefined): string | undefined {
  if (configNames.every((name) => members.values.has(name))) return configNames[0]
  const limits = limitNames.gemini
  return limits.every((name) => inner?.values.has(name) === true) ? limits[0] : undefined
}

function innerFields(format: WireFormat, fields: Fields): Fields {
  if (format !== 'gemini') return fields
  const config = configNames.map((name) => fields[name]).find((value) => value !== undefined)
  return typeof config === 'object' && config !== null ? (config as Fields) : {}
}

/** Where the limit is, or where one can be put. */
interface LimitPlace {
  readonly format: WireFormat
  readonly present: readonly Span[]
  /** A new one stands where `%` is. */
  readonly insert: Edit
}

function limitPlace(format: WireFormat, members: Members, inner: Inner | undefined): LimitPlace {
  const holder = format === 'gemini' ? inner?.members : members
  if (holder !== undefined) {
    const present = limitNames[format].flatMap((name) => holder.values.get(name) ?? [])
    return { format, present, insert: insertMember(holder, '%') }
  }
  const span = inner === undefined ? undefined : members.values.get(inner.name)
  const insert =
    span === undefined ? insertMember(members, '"generationConfig":{%}') : { ...span, text: '{%}' }
  return { format, present: [], insert }
}

function limitEdits(place: LimitPlace, tokens: number, chatName: LimitName): readonly Edit[] {
  const { format, present, insert } = place
  if (present.length > 0) return present.map((span) => ({ ...span, text: String(tokens) }))
  const name = format === 'chat' ? chatName : (limitNames[format][0] ?? '')
  return [{ ...insert, text: insert.text.replace('%', `"${name}":${tokens}`) }]
}

/** Some readers take numbers in quotes. */
function smallest(values: readonly unknown[]): number | undefined {
  const numbers = values
    .filter((value) => typeof value === 'number' || (typeof value === 'string' && value !== ''))
    .map(Number)
    .filter((value) => Number.isSafeInteger(value) && value >= 1)
  return numbers.length === 0 ? undefined : Math.min(...numbers)
}

function thinkingTokens(fields: Fields): number {
  const thinking = fields['thinking']
  if (typeof thinking !== 'object' || thinking === null) return 0
  const tokens = (thinking as Fields)['budget_tokens']
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0
}

function choicesOf(fields: Fields, limits: Fields): number {
  const asked = [fields['n'], limits['candidateCount'], limits['candidate_count']].map(Number)
  return Math.max(1, ...asked.filter((count) => Number.isSafeInteger(count)))
}
