/**
 * Waits until a provider takes requests again, if that is soon; else the client is told, and so is the
 * engine, which knows how to wait.
 */

import { createHash } from 'node:crypto'
import type { ForwardedRequest } from './forwarded-request.ts'
import type { Refusal } from './refusal.ts'
import { type Answered, sendRefusal } from './send-answer.ts'
import type { SessionParts } from './session-types.ts'
import type { SessionTrouble } from './totals.ts'

/** Others may close a window again before it is one's turn. */
const waitsMax = 20
/** Between two looks at whether the provider has taken the first one. */
const lookMs = 500

/** Windows are those of an account: of a key, at an address. */
export function windowKey({ keys }: SessionParts, { provider, shape }: ForwardedRequest): string {
  const account = createHash('sha256')
    .update(keys(provider.name) ?? '')
    .digest('base64url')
  return `${provider.baseUrl} ${account} ${shape.model}`
}

/** Nothing when the provider may be asked: then it is this one's turn, until it says that it left. */
export async function waitForWindow(
  session: SessionParts,
  request: ForwardedRequest,
  waits: { count: number },
): Promise<Answered | undefined> {
  const { clock, windows, limits, tally, options, secrets } = session
  const { provider, signal } = request
  const key = windowKey(session, request)
  const model = secrets.maskText(request.shape.model)
  let looks = 0
  for (;;) {
    const untilMs = windows.opensAtMs(key)
    const waitMs = untilMs - clock.now()
    if (waitMs <= 0) {
      if (windows.enter(key, request)) return undefined
      if (++looks * lookMs > limits.waitMsMax) return told(request, model, lookMs, clock.now())
      await clock.sleep(lookMs, signal)
      continue
    }
    if (waitMs > limits.waitMsMax || ++waits.count > waitsMax) {
      return told(request, model, waitMs, untilMs)
    }
    const message = closed(provider.name, model, waitMs)
    options.note?.({ type: 'waiting', provider: provider.name, model, untilMs, message })
    // Those who wait together do not come back together.
    await clock.sleep(waitMs + Math.floor(clock.random() * 250), signal)
    tally.waitedMs += waitMs
  }
}

function told(request: ForwardedRequest, model: string, waitMs: number, untilMs: number): Answered {
  const message = closed(request.provider.name, model, waitMs)
  const trouble: SessionTrouble = { kind: 'rate-limited', message, rateLimitedUntilMs: untilMs }
  const refusal: Refusal = { status: 429, kind: 'rate-limited', message, retryAfterMs: waitMs }
  return { ...sendRefusal(request, refusal), trouble }
}

const closed = (provider: string, model: string, waitMs: number): string =>
  `${provider} takes no requests for ${model} for ${Math.ceil(waitMs / 1000)} s.`
