/**
 * Serves recorded responses. An exchange is found by its ordinal and its request, after everything
 * that differs between runs (dates, ids, folders) has been replaced.
 *
 * G4. A replay never calls a provider. A request that was not recorded is a divergence, and its
 *     position is reported.
 */

import type { Exchange } from './recorded-exchange.ts'

/** Replaces what differs between two runs of the same work. */
export type Normalize = (text: string) => string

export interface ReplaySettings {
  readonly exchanges: readonly Exchange[]
  /** For an agent whose requests vary in more than the usual ways. */
  readonly normalize?: Normalize
}

export interface Divergence {
  readonly ordinal: number
  readonly message: string
}

export interface Replayer {
  /** Each exchange is served once. */
  take(requested: {
    readonly ordinal: number
    readonly path: string
    readonly body: string
  }): Exchange | Divergence
}

const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'

/**
 * Applied in this order. Text in JSON has `\n` and the like before its words, so word boundaries do
 * not work here.
 */
const variablePatterns: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>'],
  [/(?<!\d)\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<date>'],
  [/(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?,? (?:\w+ )?\w+ \d{1,2},? \d{4}/g, '<date>'],
  // The output of `date` and `ls -l`: `Sun Nov 15 17:16:01 UTC 2026`, `Nov 15 17:16`, `Nov  5
  // 2025`.
  [
    new RegExp(
      `(?:\\w{3} )?(?:${months}) {1,2}\\d{1,2} \\d\\d:\\d\\d:\\d\\d(?: \\w{1,5})? \\d{4}`,
      'g',
    ),
    '<date>',
  ],
  [
    new RegExp(`(?:${months}) {1,2}\\d{1,2} {1,2}(?:\\d\\d:\\d\\d|\\d{4})(?![\\d:])`, 'g'),
    '<date>',
  ],
  [/(?<![\d:])\d\d:\d\d:\d\d(?:\.\d+)?(?![\d:])/g, '<time>'],
  [/(?:\/private)?(?:\/var\/folders|\/tmp|\/var\/tmp|\/run\/user)\/[\w./@+-]+/g, '<path>'],
  [/(?<![0-9a-f])(?:[0-9a-f]{40}|[0-9a-f]{64})(?![0-9a-f])/g, '<hash>'],
  [/(?:127\.0\.0\.1|localhost|\[::1\]):\d{1,5}(?!\d)/g, '<host>'],
  // Durations in the output of test runners: `(1.2s)`, `in 3 s`, `51.2 ms`, `duration_ms 3`.
  [/(duration_?(?:ms|s)?\W{1,8})\d+(?:\.\d+)?/gi, '$1<duration>'],
  [/(?<![\d.])\d+(?:\.\d+)?\s?(?:ms|µs|μs|us|ns)(?![a-z])/gi, '<duration>'],
  [/(?<![\d.])(?:\d+\s?m(?:in)?\s?)?\d+\.\d+\s?s(?:ec(?:ond)?s?)?(?![a-z])/gi, '<duration>'],
  [
    /(in|took|after|time:?|duration:?|\()(\s*)(?:\d+\s?m(?:in)?\s?)?\d+(?:\.\d+)?\s?s(?:ec(?:ond)?s?)?(?![a-z])/gi,
    '$1$2<duration>',
  ],
  [/(?<!\d)1[6-9]\d{8}(?:\d{3})?(?!\d)/g, '<time>'],
]

export const normalizeRequest: Normalize = (text) =>
  variablePatterns.reduce((remaining, [what, name]) => remaining.replaceAll(what, name), text)

export function createReplayer({
  exchanges,
  normalize = (text) => text,
}: ReplaySettings): Replayer {
  const toKey = (path: string, body: string): string =>
    `${path}\n${normalizeRequest(normalize(sortMembers(body)))}`
  const remaining = new Map(exchanges.map((exchange) => [exchange.ordinal, exchange]))
  const keys = new Map(
    exchanges.map(({ ordinal, request }) => [ordinal, toKey(request.path, request.body.text)]),
  )
  return {
    take({ ordinal, path, body }) {
      const key = toKey(path, body)
      // An agent that sends two requests at once may send them in the other order this time.
      const ordinals = [ordinal, ...remaining.keys()]
      const found =
        ordinals.find((one) => remaining.has(one) && keys.get(one) === key) ??
        // For these, only the fact of a token count was recorded.
        ordinals.find((one) => isOmitted(remaining.get(one), path))
      const exchange = found === undefined ? undefined : remaining.get(found)
      if (exchange === undefined) {
        return {
          ordinal,
          message: describeDifference(keys.get(ordinal), key, ordinal, exchanges.length),
        }
      }
      remaining.delete(exchange.ordinal)
      if (!exchange.answer.isTruncated) return exchange
      return {
        ordinal,
        message: `The response of exchange ${ordinal} was too long to be recorded completely.`,
      }
    },
  }
}

const isOmitted = (exchange: Exchange | undefined, path: string): boolean =>
  exchange?.request.isOmitted === true && exchange.request.path === path

/** Some agents write the members of an object in a different order each time. */
function sortMembers(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    )
  } catch {
    return body
  }
}

const contextChars = 40

function describeDifference(
  recorded: string | undefined,
  requested: string,
  ordinal: number,
  count: number,
): string {
  if (recorded === undefined) {
    return `Exchange ${ordinal} was requested, but the recording has only ${count}.`
  }
  if (recorded === requested) return `Exchange ${ordinal} was already replayed.`
  let at = 0
  while (at < recorded.length && recorded[at] === requested[at]) at++
  const piece = (text: string): string =>
    JSON.stringify(text.slice(Math.max(0, at - contextChars), at + contextChars))
  return `Exchange ${ordinal} differs at character ${at}: recorded ${piece(recorded)}, requested ${piece(requested)}.`
}
