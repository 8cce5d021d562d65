/**
 * One exchange of a session, from a request that passed the guard to its recording. It is recorded
 * after the client has its response; a session that cannot record ends.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Amount, add, defined, textOf, zero } from '../loop/index.ts'
import { forward, toReservationRefusal } from './forward.ts'
import type { Charge } from './pricing/charge.ts'
import { defaultRoutes, type Provider } from './provider.ts'
import { readBody } from './read-body.ts'
import { type Exchange, type ExchangeBody, toExchangeBody } from './recorded-exchange.ts'
import { type SentResponse, sendRecorded, sendRefusal } from './send-response.ts'
import type { SessionParts } from './session-types.ts'
import { addToTally } from './totals.ts'
import { type RequestShape, readRequest } from './wire/read-request.ts'
import type { Refusal } from './wire/refusal.ts'
import type { Route } from './wire/route.ts'
import { addUsage, noUsage, type TokenUsage } from './wire/usage.ts'

export interface IncomingExchange {
  readonly route: Route
  readonly ordinal: number
  readonly request: IncomingMessage
  readonly client: ServerResponse
  readonly signal: AbortSignal
}

/** What an exchange cost over all its attempts. */
interface Account {
  requests: number
  usage: TokenUsage
  spent: Amount
  isEstimated: boolean
}

export async function handleExchange(
  session: SessionParts,
  incoming: IncomingExchange,
): Promise<void> {
  const startedAtMs = session.clock.now()
  const tooFast = await keepPace(session, incoming.signal)
  if (tooFast !== undefined) {
    sendRefusal(incoming, tooFast)
    return
  }
  const { limits, held } = session
  const body = await readBody(incoming.request, incoming.signal, limits.requestBytesMax, held)
  if (body === 'gone') return
  if (body === 'too-many') {
    sendRefusal(incoming, tooManyHeld)
    return
  }
  if (body === 'too-large') {
    session.pace.ended(false)
    const message = `The request is larger than ${limits.requestBytesMax} bytes. Send a smaller one.`
    sendRefusal(incoming, { status: 413, kind: 'too-large', message })
    return
  }
  try {
    await exchangeBody(session, incoming, body, startedAtMs)
  } finally {
    held.release(body.length)
  }
}

const tooManyHeld: Refusal = {
  status: 429,
  kind: 'rate-limited',
  message: 'Too many requests are waiting for a response. Retry when some of them have ended.',
  retryAfterMs: 1000,
}

async function exchangeBody(
  session: SessionParts,
  incoming: IncomingExchange,
  body: Buffer,
  startedAtMs: number,
): Promise<void> {
  const shape = readRequest(incoming.route, body)
  if ('problem' in shape) {
    session.pace.ended(false)
    sendRefusal(incoming, { status: 400, kind: 'bad-request', message: shape.problem })
    return
  }
  if (incoming.route.metered) session.turns.asked(body, shape.offersTools)
  const account: Account = { requests: 0, usage: noUsage, spent: zero, isEstimated: false }
  const provider = findProvider(session, incoming.route)
  const answered = await answer(session, incoming, shape, body, provider, account)
  session.tally.exchanges++
  if (incoming.route.metered) {
    const turn = answered.ended === 'complete' ? answered.turn : undefined
    session.turns.answered(turn, shape.offersTools)
    if (!inconclusiveEndings.has(answered.ended)) session.tally.trouble = answered.trouble
  }
  const isSuccess = answered.status < 300 && answered.ended === 'complete'
  session.pace.ended(isSuccess)
  const exchange = toExchange(session, incoming, shape, body, provider, account, answered)
  const durationMs = session.clock.now() - startedAtMs
  await recordExchange(session, { ...exchange, atMs: startedAtMs, durationMs })
}

/** Endings that say nothing about whether the session works. */
const inconclusiveEndings: ReadonlySet<string> = new Set([
  'stopped',
  'unsent',
  'unavailable',
  'client-gone',
])

async function answer(
  session: SessionParts,
  incoming: IncomingExchange,
  shape: RequestShape,
  body: Buffer,
  provider: Provider | undefined,
  account: Account,
): Promise<SentResponse> {
  const { route, request, client, signal } = incoming
  if (session.replayer !== undefined) return replay(session, incoming, body, account)
  if (provider === undefined) {
    const message = `No provider is configured for this format (${route.format}).`
    const refused = sendRefusal(incoming, { status: 404, kind: 'not-found', message })
    return { ...refused, trouble: { kind: 'not-allowed', message } }
  }
  const { headers } = request
  const charge = ({ usage, isEstimated }: Charge, spent: Amount, requests: number): void => {
    account.requests = requests
    account.usage = addUsage(account.usage, usage)
    account.spent = add(account.spent, spent)
    account.isEstimated ||= isEstimated
  }
  try {
    const forwarded = { route, shape, body, headers, provider, client, signal }
    return await forward(session, forwarded, charge)
  } catch (error) {
    // The client disconnected, or the run was stopped, while waiting for a rate-limit window.
    if (!signal.aborted) throw error
    return sendRefusal(incoming, stopping, 'stopped')
  }
}

const stopping: Refusal = {
  status: 503,
  kind: 'unavailable',
  message: 'The run is being stopped. Save your work and finish now.',
}

/**
 * Charges what the exchange cost when it was recorded, so that the run has the same budget left,
 * but reserves nothing because nothing is at risk.
 */
async function replay(
  session: SessionParts,
  incoming: IncomingExchange,
  body: Buffer,
  account: Account,
): Promise<SentResponse> {
  const { route, ordinal } = incoming
  const text = toExchangeBody(session.secrets.mask(body)).text
  const found = session.replayer?.take({ ordinal, path: fullPath(route), body: text })
  if (found !== undefined && 'answer' in found) {
    const { usage, spent, isEstimated } = found
    if (spent.tokens > 0 || spent.costMicros > 0) {
      const reserved = await session.options.reserve(zero).catch((error: unknown) => ({ error }))
      if ('error' in reserved) {
        const { refusal, trouble } = toReservationRefusal(reserved.error)
        return { ...sendRefusal(incoming, refusal), trouble }
      }
      await reserved.settle(spent).catch(() => session.stop.abort())
    }
    Object.assign(account, { usage, spent, isEstimated })
    addToTally(session.tally, usage, spent, isEstimated)
    return sendRecorded(incoming, found)
  }
  const message = found?.message ?? `Exchange ${ordinal} is not in the recording.`
  session.tally.diverged ??= { ordinal, message }
  const reason = `This is a replay, and it diverged from the recording. ${message} Finish now.`
  return sendRefusal(incoming, { status: 400, kind: 'diverged', message: reason })
}

const fullPath = ({ path, query }: Route): string => `${path}${query}`

function findProvider({ options, providers }: SessionParts, route: Route): Provider | undefined {
  return providers.get(options.routes?.[route.format] ?? defaultRoutes[route.format])
}

function keepPace(session: SessionParts, signal: AbortSignal): Promise<Refusal | undefined> {
  const { pace, clock, replayer, tally } = session
  // A replay can only repeat recorded requests, however fast they come.
  const isReplaying = replayer !== undefined && tally.diverged === undefined
  return isReplaying ? Promise.resolve(undefined) : pace.wait(clock, signal)
}

/**
 * Token counting costs nothing, so an agent could request it without end; after the first few
 * megabytes the bodies of such requests are not recorded.
 */
function keepsBody(session: SessionParts, { metered }: Route, bytes: number): boolean {
  if (metered) return true
  session.uncharged.bytes += bytes
  return session.uncharged.bytes <= session.limits.unchargedBytesMax
}

function toExchange(
  session: SessionParts,
  { route, ordinal }: IncomingExchange,
  { model }: RequestShape,
  body: Buffer,
  provider: Provider | undefined,
  { requests, usage, spent, isEstimated }: Account,
  answered: SentResponse,
): Omit<Exchange, 'atMs' | 'durationMs'> {
  const { options, secrets } = session
  const { status, headers, isTruncated, ended, trouble } = answered
  const isWhole = keepsBody(session, route, body.length + answered.bytes.length)
  // The response to a token count is a number; anything longer is not one.
  const isShort = isWhole || answered.bytes.length <= countBytesMax
  return {
    version: 1,
    step: options.step,
    ordinal,
    format: route.format,
    provider: provider?.name ?? 'none',
    model: secrets.maskText(model),
    request: {
      path: secrets.maskText(fullPath(route)),
      body: isWhole ? toExchangeBody(secrets.mask(body)) : noBody,
      ...(isWhole ? {} : { isOmitted: true }),
    },
    answer: {
      status,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, secrets.maskText(value)]),
      ),
      body: isShort ? toExchangeBody(secrets.maskEvents(answered.bytes)) : noBody,
      isTruncated: isTruncated || !isShort,
    },
    ended,
    attempts: requests,
    usage,
    spent,
    isEstimated,
    ...defined({ trouble }),
  }
}

const countBytesMax = 1024
const noBody: ExchangeBody = { encoding: 'utf8', text: '' }

/** A short exchange is ready to be recorded sooner than a long one that ended before it. */
function writeInOrder(session: SessionParts, write: () => Promise<void>): Promise<void> {
  const written = session.written.then(write)
  session.written = written.catch(() => undefined)
  return written
}

async function recordExchange(session: SessionParts, exchange: Exchange): Promise<void> {
  const { options, tally, stop } = session
  const { ordinal, provider, model, ended, spent, isEstimated, durationMs } = exchange
  try {
    options.note?.({
      type: 'exchange-ended',
      ordinal,
      provider,
      model,
      ended,
      spent,
      isEstimated,
      durationMs,
    })
    await writeInOrder(session, async () => options.record?.(exchange))
  } catch (error) {
    tally.trouble = { kind: 'failed', message: `Cannot record an exchange: ${textOf(error)}` }
    stop.abort()
  }
}
