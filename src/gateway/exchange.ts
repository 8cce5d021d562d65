/**
 * One exchange of a session, from a request that passed the guard to its place on record. The record is
 * made after the client has its answer; a session that cannot record ends.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Amount, add, defined, textOf, zero } from '../loop/index.ts'
import type { Charge } from './charge.ts'
import { forward, notReserved } from './forward.ts'
import { defaultRoutes, type Provider } from './provider.ts'
import { readBody } from './read-body.ts'
import { type RequestShape, readRequest } from './read-request.ts'
import { type Exchange, type ExchangeBody, toExchangeBody } from './record.ts'
import type { Refusal } from './refusal.ts'
import type { Route } from './route.ts'
import { type Answered, sendRecorded, sendRefusal } from './send-answer.ts'
import type { SessionParts } from './session-types.ts'
import { count } from './totals.ts'
import { addUsage, noUsage, type TokenUsage } from './usage.ts'

export interface Arrived {
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

export async function handleExchange(session: SessionParts, arrived: Arrived): Promise<void> {
  const startedAtMs = session.clock.now()
  const tooFast = await keepPace(session, arrived.signal)
  if (tooFast !== undefined) {
    sendRefusal(arrived, tooFast)
    return
  }
  const { limits, held } = session
  const body = await readBody(arrived.request, arrived.signal, limits.requestBytesMax, held)
  if (body === 'gone') return
  if (body === 'too-many') {
    sendRefusal(arrived, tooMany)
    return
  }
  if (body === 'too-large') {
    session.pace.ended(false)
    const message = `A request may have ${limits.requestBytesMax} bytes. Send less.`
    sendRefusal(arrived, { status: 413, kind: 'too-large', message })
    return
  }
  try {
    await exchangeBody(session, arrived, body, startedAtMs)
  } finally {
    held.giveBack(body.length)
  }
}

const tooMany: Refusal = {
  status: 429,
  kind: 'rate-limited',
  message: 'Too much is under way that waits for an answer. Ask again when some of it has ended.',
  retryAfterMs: 1000,
}

async function exchangeBody(
  session: SessionParts,
  arrived: Arrived,
  body: Buffer,
  startedAtMs: number,
): Promise<void> {
  const shape = readRequest(arrived.route, body)
  if ('problem' in shape) {
    session.pace.ended(false)
    sendRefusal(arrived, { status: 400, kind: 'bad-request', message: shape.problem })
    return
  }
  if (arrived.route.metered) session.turns.asked(body, shape.offersTools)
  const account: Account = { requests: 0, usage: noUsage, spent: zero, isEstimated: false }
  const provider = providerOf(session, arrived.route)
  const answered = await answer(session, arrived, shape, body, provider, account)
  session.tally.exchanges++
  if (arrived.route.metered) {
    const turn = answered.ended === 'complete' ? answered.turn : undefined
    session.turns.answered(turn, shape.offersTools)
    if (!saysNothing.has(answered.ended)) session.tally.trouble = answered.trouble
  }
  const isGood = answered.status < 300 && answered.ended === 'complete'
  session.pace.ended(isGood)
  const exchange = toExchange(session, arrived, shape, body, provider, account, answered)
  const durationMs = session.clock.now() - startedAtMs
  await keep(session, { ...exchange, atMs: startedAtMs, durationMs })
}

/** Endings that are nobody's fault, and prove nobody innocent. */
const saysNothing: ReadonlySet<string> = new Set([
  'stopped',
  'unsent',
  'unavailable',
  'client-gone',
])

async function answer(
  session: SessionParts,
  arrived: Arrived,
  shape: RequestShape,
  body: Buffer,
  provider: Provider | undefined,
  account: Account,
): Promise<Answered> {
  const { route, request, client, signal } = arrived
  if (session.replayer !== undefined) return replay(session, arrived, body, account)
  if (provider === undefined) {
    const message = `No provider is configured for this format (${route.format}).`
    const refused = sendRefusal(arrived, { status: 404, kind: 'not-found', message })
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
    // The client has gone, or the run is stopped, while a window was waited for.
    if (!signal.aborted) throw error
    return sendRefusal(arrived, stopped, 'stopped')
  }
}

const stopped: Refusal = {
  status: 503,
  kind: 'unavailable',
  message: 'The run is being stopped. Keep what you have done and end your work now.',
}

/**
 * It costs what it cost, so that the run has left what it had left, and nothing is at risk: what is
 * reserved is nothing.
 */
async function replay(
  session: SessionParts,
  arrived: Arrived,
  body: Buffer,
  account: Account,
): Promise<Answered> {
  const { route, ordinal } = arrived
  const text = toExchangeBody(session.secrets.mask(body)).text
  const found = session.replayer?.take({ ordinal, path: pathOf(route), body: text })
  if (found !== undefined && 'answer' in found) {
    const { usage, spent, isEstimated } = found
    if (spent.tokens > 0 || spent.costMicros > 0) {
      const reserved = await session.options.reserve(zero).catch((error: unknown) => ({ error }))
      if ('error' in reserved) {
        const { refusal, trouble } = notReserved(reserved.error)
        return { ...sendRefusal(arrived, refusal), trouble }
      }
      await reserved.settle(spent).catch(() => session.stop.abort())
    }
    Object.assign(account, { usage, spent, isEstimated })
    count(session.tally, usage, spent, isEstimated)
    return sendRecorded(arrived, found)
  }
  const message = found?.message ?? `Exchange ${ordinal} is not on record.`
  session.tally.diverged ??= { ordinal, message }
  const text400 = `This is a replay, and it left the record. ${message} End your work now.`
  return sendRefusal(arrived, { status: 400, kind: 'diverged', message: text400 })
}

const pathOf = ({ path, query }: Route): string => `${path}${query}`

function providerOf({ options, providers }: SessionParts, route: Route): Provider | undefined {
  return providers.get(options.routes?.[route.format] ?? defaultRoutes[route.format])
}

function keepPace(session: SessionParts, signal: AbortSignal): Promise<Refusal | undefined> {
  const { pace, clock, replayer, tally } = session
  // On record is only what it asked then, however fast it asks now.
  const isOnRecord = replayer !== undefined && tally.diverged === undefined
  return isOnRecord ? Promise.resolve(undefined) : pace.wait(clock, signal)
}

/**
 * Questions that only count tokens cost nothing, so an agent could ask them without end; of those after
 * the first few megabytes the record has no bodies.
 */
function isKeptWhole(session: SessionParts, { metered }: Route, bytes: number): boolean {
  if (metered) return true
  session.uncharged.bytes += bytes
  return session.uncharged.bytes <= session.limits.unchargedBytesMax
}

function toExchange(
  session: SessionParts,
  { route, ordinal }: Arrived,
  { model }: RequestShape,
  body: Buffer,
  provider: Provider | undefined,
  { requests, usage, spent, isEstimated }: Account,
  answered: Answered,
): Omit<Exchange, 'atMs' | 'durationMs'> {
  const { options, secrets } = session
  const { status, headers, isTruncated, ended, trouble } = answered
  const isWhole = isKeptWhole(session, route, body.length + answered.bytes.length)
  // The answer is a number; whatever is longer is none.
  const isShort = isWhole || answered.bytes.length <= countBytesMax
  return {
    version: 1,
    step: options.step,
    ordinal,
    format: route.format,
    provider: provider?.name ?? 'none',
    model: secrets.maskText(model),
    request: {
      path: secrets.maskText(pathOf(route)),
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

/** A short exchange is ready for the record sooner than a long one that ended before it. */
function inOrder(session: SessionParts, write: () => Promise<void>): Promise<void> {
  const written = session.written.then(write)
  session.written = written.catch(() => undefined)
  return written
}

async function keep(session: SessionParts, exchange: Exchange): Promise<void> {
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
    await inOrder(session, async () => options.record?.(exchange))
  } catch (error) {
    tally.trouble = { kind: 'failed', message: `An exchange cannot be kept: ${textOf(error)}` }
    stop.abort()
  }
}
