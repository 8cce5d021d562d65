/**
 * What costs more than the tokens do: service that is faster than usual or bound to a place, and what the
 * provider's own tools do. The price table knows none of it, so it is taken from above and marked.
 */

import type { WireFormat } from './route.ts'
import { part } from './usage.ts'

export interface ExtraPrice {
  /** How many times the price of the table. */
  readonly factor: number
  readonly callMicros: number
}

/** What an answer says of it, gathered while it passes. */
export interface ExtraReading {
  factor: number
  /** By events that tell of one call each, and by lists of all. */
  oneByOneMicros: number
  listedMicros: number
}

export const newExtras = (): ExtraReading => ({ factor: 1, oneByOneMicros: 0, listedMicros: 0 })

export const extraPriceOf = (reading: ExtraReading): ExtraPrice => ({
  factor: reading.factor,
  callMicros: Math.max(reading.oneByOneMicros, reading.listedMicros),
})

type Fields = Readonly<Record<string, unknown>>

const usual = new Set(['auto', 'default', 'standard', 'standard_only', 'flex', 'batch'])
const anyPlace = new Set(['global', 'not_available'])
const fastTierFactor = 2
const fastSpeedFactor = 6
const onePlaceFactor = 1.1

/** From a request, or from what an answer says of itself. What is not known costs the most. */
export function serviceFactor(format: WireFormat, said: Fields | undefined): number {
  const isOther = (name: string, known: ReadonlySet<string>): boolean => {
    const value = said?.[name]
    return typeof value === 'string' && value !== '' && !known.has(value.toLowerCase())
  }
  if (format === 'anthropic') {
    // Its tiers are paid for in advance.
    const speed = isOther('speed', usual) ? fastSpeedFactor : 1
    return speed * (isOther('inference_geo', anyPlace) ? onePlaceFactor : 1)
  }
  return isOther('service_tier', usual) || isOther('serviceTier', usual) ? fastTierFactor : 1
}

/** From one event of a stream, or a whole answer. */
export function readExtras(format: WireFormat, value: unknown, extras: ExtraReading): void {
  if (typeof value !== 'object' || value === null) return
  const whole = part(value, 'response') ?? part(value, 'message') ?? (value as Fields)
  const usage = part(whole, 'usage') ?? part(whole, 'usageMetadata')
  const factors = [whole, usage].map((one) => serviceFactor(format, one))
  extras.factor = Math.max(extras.factor, ...factors)
  if (format === 'responses') readCalls(value as Fields, whole, extras)
  else extras.listedMicros = Math.max(extras.listedMicros, searchMicros(format, whole))
}

/** Calls that the client carries out itself, and those that cost nothing but tokens. */
const freeCalls = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
  'tool_search_call',
  'mcp_call',
])
const usualCallMicros = 10_000
const callMicros: Readonly<Record<string, number>> = {
  code_interpreter_call: 30_000,
  image_generation_call: 250_000,
}

function readCalls(event: Fields, whole: Fields, extras: ExtraReading): void {
  if (event['type'] === 'response.output_item.done') {
    extras.oneByOneMicros += microsOf(event['item'])
  }
  const listed = list(whole['output']).reduce<number>((sum, item) => sum + microsOf(item), 0)
  extras.listedMicros = Math.max(extras.listedMicros, listed)
}

function microsOf(item: unknown): number {
  const type: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, 'type') : ''
  if (typeof type !== 'string' || !type.endsWith('_call') || freeCalls.has(type)) return 0
  return Object.hasOwn(callMicros, type) ? (callMicros[type] ?? 0) : usualCallMicros
}

/** Gemini asks for this for each prompt with searches, or less for each search. */
const groundedMicros = 35_000

/** Searches are known by what they leave in an answer. Anthropic counts them in what was used. */
function searchMicros(format: WireFormat, whole: Fields): number {
  if (format === 'chat') {
    const messages = list(whole['choices']).map((one) => part(one, 'message') ?? part(one, 'delta'))
    const hasFound = messages.some((one) => list(one?.['annotations']).length > 0)
    return hasFound ? usualCallMicros : 0
  }
  if (format !== 'gemini') return 0
  const searches = list(whole['candidates']).map((one) => part(one, 'groundingMetadata'))
  const counts = searches.map((one) =>
    one === undefined ? 0 : Math.max(1, list(one['webSearchQueries']).length),
  )
  return groundedMicros * counts.reduce((sum, count) => sum + count, 0)
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
