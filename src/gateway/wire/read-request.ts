/**
 * Reads the few properties of a request that the gateway needs: the model, whether it streams, its
 * output limit. The rest stays unread.
 *
 * G1. A request is forwarded byte for byte, except for its output limit.
 * G2. The gateway and the provider read the same request: a duplicate member name is refused.
 * E9. What is expensive to parse is not parsed, and only small values are kept from what was:
 *     many requests wait a long time for their responses at once.
 */

import { serviceFactor } from '../pricing/extra-price.ts'
import { mayAddInput } from './hidden-input.ts'
import {
  applyEdits,
  type Edit,
  findMembers,
  insertMember,
  type Members,
  type Span,
} from './json-members.ts'
import { countMemberNames, jsonLimits, measureJson } from './measure-json.ts'
import type { Route, WireFormat } from './route.ts'

export interface RequestShape {
  readonly model: string
  readonly streamed: boolean
  /** The output limit that the client set. */
  readonly outputTokens: number | undefined
  /** The provider refuses a lower limit: thinking is part of the output. */
  readonly outputTokensMin: number
  /** Number of alternative responses requested. */
  readonly choices: number
  /** Some of the input is not in the request: the provider adds it, or may. */
  readonly hasHiddenInput: boolean
  /**
   * Whether input may be written to the provider's cache, which costs more, and more still for an
   * hour.
   */
  readonly cacheWrites: 'none' | 'short' | 'hour'
  readonly offersTools: boolean
  /** Multiplier on the usual price, for a faster tier or for regional processing. */
  readonly priceFactor: number
  /** The same request with this output limit. The name is for formats that have two. */
  limitedTo(tokens: number, name: LimitName): Buffer
}

export type LimitName = 'max_tokens' | 'max_completion_tokens'

type Fields = Readonly<Record<string, unknown>>

export function readRequest(
  route: Route,
  body: Buffer,
): RequestShape | { readonly problem: string } {
  const size = measureJson(body)
  if (size.values > jsonLimits.values || size.depth > jsonLimits.depth) {
    const { values, depth } = jsonLimits
    const problem = `The body has more than ${values} values or more than ${depth} levels of nesting.`
    return { problem: `${problem} Send a smaller body.` }
  }
  const fields = parseObject(body)
  const members = fields === undefined ? undefined : findMembers(body)
  if (fields === undefined || members === undefined) {
    return { problem: 'The body is not a JSON object.' }
  }
  const inner = innerMembers(route.format, body, members)
  const duplicate =
    members.duplicate ?? inner?.members?.duplicate ?? findSecondSpelling(members, inner?.members)
  if (duplicate !== undefined) {
    return { problem: `The body has "${duplicate.slice(0, 100)}" twice. Send it once.` }
  }
  if (fields['background'] === true) {
    return {
      problem: 'Background responses cannot be metered. Send the request without "background".',
    }
  }
  const model = route.model ?? fields['model']
  if (typeof model !== 'string' || model === '' || model.length > 300) {
    return { problem: 'The body does not name a model.' }
  }
  const values = readValues(route, fields, body)
  const hasHiddenInput = values.hasHiddenInput || countMemberNames(fields) !== size.names
  const limit = findLimit(route.format, members, inner)
  // A copy, because a substring would keep the whole text in memory.
  return {
    model: Buffer.from(model).toString(),
    ...values,
    hasHiddenInput,
    ...createLimiter(body, limit),
  }
}

type Values = Omit<RequestShape, 'model' | 'limitedTo'>

function readValues({ format, streamed }: Route, fields: Fields, body: Buffer): Values {
  const limits = innerFields(format, fields)
  return {
    streamed: streamed || fields['stream'] === true,
    outputTokens: smallestLimit(limitNames[format].map((name) => limits[name])),
    outputTokensMin: thinkingTokens(fields) + 1,
    choices: readChoices(fields, limits),
    hasHiddenInput: mayAddInput(format, fields),
    cacheWrites: !body.includes('"cache_control"')
      ? 'none'
      : body.includes('"1h"')
        ? 'hour'
        : 'short',
    offersTools: ['tools', 'functions'].some((name) => isNonEmptyList(fields[name])),
    priceFactor: serviceFactor(format, fields),
  }
}

/** Separate, so that the closure keeps only the body, which is needed anyway, and offsets in it. */
function createLimiter(body: Buffer, position: LimitPosition): Pick<RequestShape, 'limitedTo'> {
  return { limitedTo: (tokens, name) => applyEdits(body, limitEdits(position, tokens, name)) }
}

const limitNames: Readonly<Record<WireFormat, readonly string[]>> = {
  anthropic: ['max_tokens'],
  chat: ['max_completion_tokens', 'max_tokens'],
  responses: ['max_output_tokens'],
  gemini: ['maxOutputTokens', 'max_output_tokens'],
}

/** Gemini accepts either naming style. */
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

const isNonEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length > 0

interface Inner {
  readonly name: string
  /** Undefined if the value is not an object. */
  readonly members: Members | undefined
}

function innerMembers(format: WireFormat, body: Buffer, members: Members): Inner | undefined {
  if (format !== 'gemini') return undefined
  const name = configNames.find((one) => members.values.has(one))
  const span = name === undefined ? undefined : members.values.get(name)
  if (name === undefined || span === undefined) return undefined
  return { name, members: findMembers(body, span.from) }
}

function findSecondSpelling(members: Members, inner: Members | undefined): string | undefined {
  if (configNames.every((name) => members.values.has(name))) return configNames[0]
  const limits = limitNames.gemini
  return limits.every((name) => inner?.values.has(name) === true) ? limits[0] : undefined
}

function innerFields(format: WireFormat, fields: Fields): Fields {
  if (format !== 'gemini') return fields
  const config = configNames.map((name) => fields[name]).find((value) => value !== undefined)
  return typeof config === 'object' && config !== null ? (config as Fields) : {}
}

/** Where the output limit is, or where one can be inserted. */
interface LimitPosition {
  readonly format: WireFormat
  readonly present: readonly Span[]
  /** A new limit replaces the `%`. */
  readonly insert: Edit
}

function findLimit(format: WireFormat, members: Members, inner: Inner | undefined): LimitPosition {
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

function limitEdits(position: LimitPosition, tokens: number, chatName: LimitName): readonly Edit[] {
  const { format, present, insert } = position
  if (present.length > 0) return present.map((span) => ({ ...span, text: String(tokens) }))
  const name = format === 'chat' ? chatName : (limitNames[format][0] ?? '')
  return [{ ...insert, text: insert.text.replace('%', `"${name}":${tokens}`) }]
}

/** Some parsers accept numbers in quotes. */
function smallestLimit(values: readonly unknown[]): number | undefined {
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

function readChoices(fields: Fields, limits: Fields): number {
  const requested = [fields['n'], limits['candidateCount'], limits['candidate_count']].map(Number)
  return Math.max(1, ...requested.filter((count) => Number.isSafeInteger(count)))
}
