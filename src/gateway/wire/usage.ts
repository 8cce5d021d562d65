/**
 * The usage that a provider reports for a call, from each wire format in one shape. Invalid numbers
 * are ignored: they would corrupt the accounting.
 */

import type { WireFormat } from './route.ts'

/** `input` includes tokens read from and written to the provider's cache. */
export interface TokenUsage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** The part of `cacheWrite` that is stored for an hour, at a separate price. */
  readonly cacheWriteHour: number
  readonly output: number
  readonly webSearches: number
}

export const noUsage: TokenUsage = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  output: 0,
  webSearches: 0,
}

/** What one event or body reports. Absent numbers were not reported. */
export interface ReportedUsage {
  readonly input?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly cacheWriteHour?: number
  readonly output?: number
  readonly webSearches?: number
}

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    cacheWriteHour: a.cacheWriteHour + b.cacheWriteHour,
    output: a.output + b.output,
    webSearches: a.webSearches + b.webSearches,
  }
}

/** Reads one stream event, or a complete response. */
export function readUsage(format: WireFormat, value: unknown): ReportedUsage | undefined {
  switch (format) {
    case 'anthropic':
      return anthropic(part(value, 'usage') ?? part(part(value, 'message'), 'usage'))
    case 'chat':
      return chat(part(value, 'usage'))
    case 'responses':
      return responses(part(value, 'usage') ?? part(part(value, 'response'), 'usage'))
    case 'gemini':
      return gemini(part(value, 'usageMetadata'))
  }
}

type Part = Readonly<Record<string, unknown>>

export function part(value: unknown, name: string): Part | undefined {
  const found = typeof value === 'object' && value !== null ? (value as Part)[name] : undefined
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? (found as Part)
    : undefined
}

const tokensMax = 1e9

function count(value: Part | undefined, name: string): number | undefined {
  const found = value?.[name]
  return typeof found === 'number' && Number.isInteger(found) && found >= 0 && found <= tokensMax
    ? found
    : undefined
}

/** Anthropic's input excludes tokens read from or written to the cache. */
function anthropic(usage: Part | undefined): ReportedUsage | undefined {
  if (usage === undefined) return undefined
  const plain = count(usage, 'input_tokens')
  const cacheRead = count(usage, 'cache_read_input_tokens')
  const cacheWrite = count(usage, 'cache_creation_input_tokens')
  const input = plain === undefined ? undefined : plain + (cacheRead ?? 0) + (cacheWrite ?? 0)
  return withoutUndefined({
    input,
    // The last event may repeat the input, or report only the output.
    cacheRead: input === undefined ? undefined : (cacheRead ?? 0),
    cacheWrite: input === undefined ? undefined : (cacheWrite ?? 0),
    cacheWriteHour: count(part(usage, 'cache_creation'), 'ephemeral_1h_input_tokens'),
    output: count(usage, 'output_tokens'),
    webSearches: count(part(usage, 'server_tool_use'), 'web_search_requests'),
  })
}

function chat(usage: Part | undefined): ReportedUsage | undefined {
  if (usage === undefined) return undefined
  return withoutUndefined({
    input: count(usage, 'prompt_tokens'),
    cacheRead: count(part(usage, 'prompt_tokens_details'), 'cached_tokens'),
    output: count(usage, 'completion_tokens'),
  })
}

function responses(usage: Part | undefined): ReportedUsage | undefined {
  if (usage === undefined) return undefined
  return withoutUndefined({
    input: count(usage, 'input_tokens'),
    cacheRead: count(part(usage, 'input_tokens_details'), 'cached_tokens'),
    output: count(usage, 'output_tokens'),
  })
}

/** Thoughts count as output; results of Gemini's own tools count as input. */
function gemini(usage: Part | undefined): ReportedUsage | undefined {
  if (usage === undefined) return undefined
  const prompt = count(usage, 'promptTokenCount')
  const candidates = count(usage, 'candidatesTokenCount')
  const thoughts = count(usage, 'thoughtsTokenCount')
  return withoutUndefined({
    input:
      prompt === undefined ? undefined : prompt + (count(usage, 'toolUsePromptTokenCount') ?? 0),
    cacheRead: count(usage, 'cachedContentTokenCount'),
    output:
      candidates === undefined && thoughts === undefined
        ? undefined
        : (candidates ?? 0) + (thoughts ?? 0),
  })
}

function withoutUndefined(values: Maybe): ReportedUsage {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

type Maybe = { readonly [Name in keyof ReportedUsage]?: number | undefined }
