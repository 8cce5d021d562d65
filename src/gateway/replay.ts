/**
 * Answers from the record. An exchange is found by its ordinal and by what is asked, after everything
 * that differs from one run to the next (dates, ids, folders) has been taken out.
 *
 * G4. A replay never asks a provider. What is not on record is a divergence, and it is said where.
 */

import type { Exchange } from './record.ts'

/** Takes out of a request what differs between two runs of the same work. */
export type Normalise = (text: string) => string

export interface ReplaySettings {
  readonly exchanges: readonly Exchange[]
  /** For an agent that puts more into its requests than the usual. */
  readonly normalise?: Normalise
}

export interface Divergence {
  readonly ordinal: number
  readonly message: string
}

export interface Replayer {
  /** Each exchange answers once. */
  take(asked: {
    readonly ordinal: number
    readonly path: string
    readonly body: string
  }): Exchange | Divergence
}

const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'

/**
 * In the order in which they are taken out. A text in JSON has `\n` and the like before its words, so
 * beginnings of words are of no use here.
 */
const differing: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>'],
  [/(?<!\d)\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<date>'],
  [/(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?,? (?:\w+ )?\w+ \d{1,2},? \d{4}/g, '<date>'],
  // As `date` writes it, and `ls -l`: `Sun Nov 15 17:16:01 UTC 2026`, `Nov 15 17:16`, `Nov  5  2025`.
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
  // How long something took, as test runners write it: `(1.2s)`, `in 3 s`, `51.2 ms`, `duration_ms 3`.
  [/(duration_?(?:ms|s)?\W{1,8})\d+(?:\.\d+)?/gi, '$1<duration>'],
  [/(?<![\d.])\d+(?:\.\d+)?\s?(?:ms|µs|μs|us|ns)(?![a-z])/gi, '<duration>'],
  [/(?<![\d.])(?:\d+\s?m(?:in)?\s?)?\d+\.\d+\s?s(?:ec(?:ond)?s?)?(?![a-z])/gi, '<duration>'],
  [
    /(in|took|after|time:?|duration:?|\()(\s*)(?:\d+\s?m(?:in)?\s?)?\d+(?:\.\d+)?\s?s(?:ec(?:ond)?s?)?(?![a-z])/gi,
    '$1$2<duration>',
  ],
  [/(?<!\d)1[6-9]\d{8}(?:\d{3})?(?!\d)/g, '<time>'],
]

export const normaliseRequest: Normalise = (text) =>
  differing.reduce((left, [what, name]) => left.replaceAll(what, name), text)

export function createReplayer({
  exchanges,
  normalise = (text) => text,
}: ReplaySettings): Replayer {
  const keyOf = (path: string, body: string): string =>
    `${path}\n${normaliseRequest(normalise(inOrder(body)))}`
  const left = new Map(exchanges.map((exchange) => [exchange.ordinal, exchange]))
  const keys = new Map(
    exchanges.map(({ ordinal, request }) => [ordinal, keyOf(request.path, request.body.text)]),
  )
  return {
    take({ ordinal, path, body }) {
      const key = keyOf(path, body)
      // An agent that asks two things at once may ask them in the other order this time.
      const ordinals = [ordinal, ...left.keys()]
      const found =
        ordinals.find((one) => left.has(one) && keys.get(one) === key) ??
        // Of these nothing is known but that a number of tokens was asked for.
        ordinals.find((one) => isOmitted(left.get(one), path))
      const exchange = found === undefined ? undefined : left.get(found)
      if (exchange === undefined) {
        return { ordinal, message: difference(keys.get(ordinal), key, ordinal, exchanges.length) }
      }
      left.delete(exchange.ordinal)
      if (!exchange.answer.isTruncated) return exchange
      return {
        ordinal,
        message: `The answer of exchange ${ordinal} was too long to be kept whole.`,
      }
    },
  }
}

const isOmitted = (exchange: Exchange | undefined, path: string): boolean =>
  exchange?.request.isOmitted === true && exchange.request.path === path

/** Some agents write the members of an object in another order each time. */
function inOrder(body: string): string {
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

const around = 40

function difference(
  recorded: string | undefined,
  asked: string,
  ordinal: number,
  count: number,
): string {
  if (recorded === undefined) {
    return `Exchange ${ordinal} was asked for; the record has ${count}.`
  }
  if (recorded === asked) return `Exchange ${ordinal} was answered already.`
  let at = 0
  while (at < recorded.length && recorded[at] === asked[at]) at++
  const piece = (text: string): string =>
    JSON.stringify(text.slice(Math.max(0, at - around), at + around))
  return `Exchange ${ordinal} differs at character ${at}: recorded ${piece(recorded)}, asked ${piece(asked)}.`
}
