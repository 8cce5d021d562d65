/**
 * Which request this is, from its address alone: one of the four wire formats, or nothing of ours.
 * Only what is listed here is ever forwarded.
 */

/** A wire format that the gateway speaks. */
export type WireFormat = 'anthropic' | 'chat' | 'responses' | 'gemini'

export const wireFormats: readonly WireFormat[] = ['anthropic', 'chat', 'responses', 'gemini']

export interface Route {
  readonly format: WireFormat
  /** `/v1`, `/v1beta` or nothing, as the client has it. */
  readonly version: string
  /** What follows the version, as the client wrote it. */
  readonly path: string
  /** With its question mark, without keys; or empty. */
  readonly query: string
  /** A key that the client put into the address. */
  readonly queryKey: string | undefined
  /** In Gemini's addresses; elsewhere it is in the body. */
  readonly model: string | undefined
  readonly streamed: boolean
  /** It makes a model work. What only counts tokens is free. */
  readonly metered: boolean
}

const places: readonly (readonly [RegExp, WireFormat])[] = [
  [/^\/messages(?<count>\/count_tokens)?$/, 'anthropic'],
  [/^\/chat\/completions$/, 'chat'],
  [/^\/responses$/, 'responses'],
  [
    /^\/models\/(?<model>[\w.@+-]{1,200}):(?:generateContent|(?<stream>streamGenerateContent)|(?<count>countTokens))$/,
    'gemini',
  ],
]

const addressCharsMax = 2048

export function routeOf(address: string): Route | undefined {
  if (address.length > addressCharsMax) return undefined
  const [whole = '', ...rest] = address.split('?')
  const version = /^\/v\d[\da-z]{0,10}(?=\/)/.exec(whole)?.[0] ?? ''
  const path = whole.slice(version.length)
  for (const [place, format] of places) {
    const found = place.exec(path)
    if (found === null) continue
    const { model, stream, count } = found.groups ?? {}
    const streamed = stream !== undefined
    const metered = count === undefined
    return { format, version, path, model, streamed, metered, ...readQuery(rest.join('?')) }
  }
  return undefined
}

/** Keys are taken out by cutting, so that all else stays as it was written. */
function readQuery(text: string): Pick<Route, 'query' | 'queryKey'> {
  const parts = text.split('&').filter((part) => part !== '')
  const isKey = (part: string): boolean => new URLSearchParams(part).has('key')
  const key = parts.find(isKey)
  const kept = parts.filter((part) => !isKey(part))
  return {
    query: kept.length === 0 ? '' : `?${kept.join('&')}`,
    queryKey: key === undefined ? undefined : (new URLSearchParams(key).get('key') ?? undefined),
  }
}
