/**
 * Costs beyond tokens: faster service tiers, regional processing, and the provider's own tools. The
 * price table has none of these, so they are upper estimates and marked as such.
 */

import type { WireFormat } from '../wire/route.ts'
import { part } from '../wire/usage.ts'

export interface ExtraPrice {
  /** Multiplier on the price in the table. */
  readonly factor: number
  readonly callMicros: number
}

/** What a response reports about extra costs, collected while it passes through. */
export interface ExtraReading {
  factor: number
  /** From events that report one call each, and from lists of all calls. */
  oneByOneMicros: number
  listedMicros: number
}

export const emptyExtras = (): ExtraReading => ({ factor: 1, oneByOneMicros: 0, listedMicros: 0 })

export const toExtraPrice = (reading: ExtraReading): ExtraPrice => ({
  factor: reading.factor,
  callMicros: Math.max(reading.oneByOneMicros, reading.listedMicros),
})

type Fields = Readonly<Record<string, unknown>>

const standardTiers = new Set(['auto', 'default', 'standard', 'standard_only', 'flex', 'batch'])
const globalRegions = new Set(['global', 'not_available'])
const fastTierFactor = 2
const fastSpeedFactor = 6
const regionalFactor = 1.1

/**
 * For a request, or for what a response reports about itself. Unknown values count as the most
 * expensive.
 */
export function serviceFactor(format: WireFormat, fields: Fields | undefined): number {
  const isUnlisted = (name: string, known: ReadonlySet<string>): boolean => {
    const value = fields?.[name]
    return typeof value === 'string' && value !== '' && !known.has(value.toLowerCase())
  }
  if (format === 'anthropic') {
    // Anthropic tiers are paid for in advance.
    const speed = isUnlisted('speed', standardTiers) ? fastSpeedFactor : 1
    return speed * (isUnlisted('inference_geo', globalRegions) ? regionalFactor : 1)
  }
  return isUnlisted('service_tier', standardTiers) || isUnlisted('serviceTier', standardTiers)
    ? fastTierFactor
    : 1
}

/** Reads one stream event, or a complete response. */
export function readExtras(format: WireFormat, value: unknown, extras: ExtraReading): void {
  if (typeof value !== 'object' || value === null) return
  const whole = part(value, 'response') ?? part(value, 'message') ?? (value as Fields)
  const usage = part(whole, 'usage') ?? part(whole, 'usageMetadata')
  const factors = [whole, usage].map((one) => serviceFactor(format, one))
  extras.factor = Math.max(extras.factor, ...factors)
  if (format === 'responses') readCalls(value as Fields, whole, extras)
  else extras.listedMicros = Math.max(extras.listedMicros, searchMicros(format, whole))
}

/** Calls that the client runs itself, and calls that cost nothing but tokens. */
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
const defaultCallMicros = 10_000
const callMicros: Readonly<Record<string, number>> = {
  code_interpreter_call: 30_000,
  image_generation_call: 250_000,
}

function readCalls(event: Fields, whole: Fields, extras: ExtraReading): void {
  if (event['type'] === 'response.output_item.done') {
    extras.oneByOneMicros += callCostMicros(event['item'])
  }
  const listed = list(whole['output']).reduce<number>((sum, item) => sum + callCostMicros(item), 0)
  extras.listedMicros = Math.max(extras.listedMicros, listed)
}

function callCostMicros(item: unknown): number {
  const type: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, 'type') : ''
  if (typeof type !== 'string' || !type.endsWith('_call') || freeCalls.has(type)) return 0
  return Object.hasOwn(callMicros, type) ? (callMicros[type] ?? 0) : defaultCallMicros
}

/** What Gemini charges for each prompt with searches; a single search costs at most this. */
const groundedMicros = 35_000

/** Searches are recognized by their traces in a response. Anthropic reports them in the usage. */
function searchMicros(format: WireFormat, whole: Fields): number {
  if (format === 'chat') {
    const messages = list(whole['choices']).map((one) => part(one, 'message') ?? part(one, 'delta'))
    const hasSearched = messages.some((one) => list(one?.['annotations']).length > 0)
    return hasSearched ? defaultCallMicros : 0
  }
  if (format !== 'gemini') return 0
  const searches = list(whole['candidates']).map((one) => part(one, 'groundingMetadata'))
  const counts = searches.map((one) =>
    one === undefined ? 0 : Math.max(1, list(one['webSearchQueries']).length),
  )
  return groundedMicros * counts.reduce((sum, count) => sum + count, 0)
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
