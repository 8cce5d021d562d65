/**
 * How long to wait for a provider, read from its response: `retry-after` in its three forms, the reset
 * headers of Anthropic and OpenAI, the details in Gemini's body. Pure and total: unreadable and absurdly
 * long waits are ignored.
 */

/** The longest rate limit windows of providers are a month. */
const waitMsMax = 31 * 24 * 3_600_000

type Headers = Readonly<Record<string, string | undefined>>

export function rateLimitWaitMs(headers: Headers, body: string, nowMs: number): number | undefined {
  const candidates = [
    positive(Number(headers['retry-after-ms'] ?? Number.NaN)),
    afterMs(headers['retry-after'], nowMs),
    resetMs(headers, nowMs),
    durationMs(/"retryDelay"\s*:\s*"([^"]{1,20})"/.exec(body)?.[1]),
  ]
  return candidates.find((candidate) => candidate !== undefined && candidate <= waitMsMax)
}

function afterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  return positive(Number(text) * 1000) ?? momentMs(text, nowMs)
}

/** Of the exhausted windows, the one that resets last. */
function resetMs(headers: Headers, nowMs: number): number | undefined {
  const waits = Object.entries(headers).flatMap(([name, left]) => {
    if (!/^(?:anthropic|x)-ratelimit-/.test(name) || !name.includes('remaining')) return []
    if (Number(left) > 0) return []
    const reset = headers[name.replace('remaining', 'reset')]
    const wait = momentMs(reset, nowMs) ?? durationMs(reset)
    return wait === undefined ? [] : [wait]
  })
  return waits.length === 0 ? undefined : Math.max(...waits)
}

/** A date in either form. A bare number is not a date. */
function momentMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || !/\d{4}/.test(text) || !/[-:]/.test(text)) return undefined
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `6m0s`, `1.5s`, `20ms`. */
function durationMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined
  let sum = 0
  for (const [, number, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(number) * (unitsMs[unit] ?? 0)
  }
  return positive(sum)
}

const positive = (value: number): number | undefined =>
  Number.isFinite(value) && value >= 0 ? value : undefined
