/**
 * Recognizes a request by its path alone: one of the four wire formats, or none. Only what is
 * listed here is ever forwarded.
 */

/** A wire format that the gateway speaks. */
export type WireFormat = 'anthropic' | 'chat' | 'responses' | 'gemini'

export const wireFormats: readonly WireFormat[] = ['anthropic', 'chat', 'responses', 'gemini']

export interface Route {
  readonly format: WireFormat
  /** `/v1`, `/v1beta` or empty, as the client sent it. */
  readonly version: string
  /** The path after the version, as the client sent it. */
  readonly path: string
  /** With its question mark, without keys; or empty. */
  readonly query: string
  /** A key that the client put in the query. */
  readonly queryKey: string | undefined
  /** In Gemini's paths; elsewhere the model is in the body. */
  readonly model: string | undefined
  readonly streamed: boolean
  /** The request runs a model. Token counts are free. */
  readonly metered: boolean
}

const paths: readonly (readonly [RegExp, WireFormat])[] = [
  [/^\/messages(?<count>\/count_tokens)?$/, 'anthropic'],
  [/^\/chat\/completions$/, 'chat'],
  [/^\/responses$/, 'responses'],
  [
    /^\/models\/(?<model>[\w.@+-]{1,200}):(?:generateContent|(?<stream>streamGenerateContent)|(?<count>countTokens))$/,
    'gemini',
  ],
]

const addressCharsMax = 2048

export function matchRoute(address: string): Route | undefined {
  if (address.length > addressCharsMax) return undefined
  const [whole = '', ...rest] = address.split('?')
  const version = /^\/v\d[\da-z]{0,10}(?=\/)/.exec(whole)?.[0] ?? ''
  const path = whole.slice(version.length)
  for (const [pattern, format] of paths) {
    const found = pattern.exec(path)
    if (found === null) continue
    const { model, stream, count } = found.groups ?? {}
    const streamed = stream !== undefined
    const metered = count === undefined
    return { format, version, path, model, streamed, metered, ...readQuery(rest.join('?')) }
  }
  return undefined
}

/** Cuts keys out, so that the rest stays exactly as it was written. */
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
