/**
 * One exchange of a session, from a request that passed the guard to its place on record. The record is
 * made after the client has its answer; a session that cannot record ends.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Amount, add, textOf, zero } from '../loop/index.ts'
import type { Charge } from './charge.ts'
import { forward, notReserved } from './forward.ts'
import { defaultRoutes, type Provider } from './provider.ts'
import { type RequestShape, readRequest } from './read-request.ts'
import { type Exchange, toExchangeBody } from './record.ts'
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
  const body = await readBody(arrived, session.limits.requestBytesMax)
  if (body === 'gone') return
  if (body === undefined) {
    session.pace.ended(false)
    const message = `A request may have ${session.limits.requestBytesMax} bytes. Send less.`
    sendRefusal(arrived, { status: 413, kind: 'too-large', message })
    return
  }
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

/** Nothing when it is too long. What comes after that is let go, so that the refusal is read. */
async function readBody(
  { request, signal }: Arrived,
  bytesMax: number,
): Promise<Buffer | 'gone' | undefined> {
  // Who sends a byte now and then must not keep a session open that is being closed.
  const leave = (): unknown => request.destroy()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    return await readUpTo(request, bytesMax)
  } catch (error) {
    // It left, or took too long, before there was a question.
    if (request.destroyed) return 'gone'
    throw error
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

async function readUpTo(request: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = Number(request.headers['content-length'] ?? 0)
  if (bytes <= bytesMax) {
    bytes = 0
    const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > bytesMax) break
      chunks.push(chunk)
    }
  }
  if (bytes <= bytesMax) return Buffer.concat(chunks)
  request.resume()
  return undefined
}

function keepPace(session: SessionParts, signal: AbortSignal): Promise<Refusal | undefined> {
  const { pace, clock, replayer, tally } = session
  // On record is only what it asked then, however fast it asks now.
  const isOnRecord = replayer !== undefined && tally.diverged === undefined
  return isOnRecord ? Promise.resolve(undefined) : pace.wait(clock, signal)
}

function toExchange(
  { options, secrets }: SessionParts,
  { route, ordinal }: Arrived,
  { model }: RequestShape,
  body: Buffer,
  provider: Provider | undefined,
  { requests, usage, spent, isEstimated }: Account,
  answered: Answered,
): Omit<Exchange, 'atMs' | 'durationMs'> {
  const { status, headers, bytes, isTruncated, ended, trouble } = answered
  return {
    version: 1,
    step: options.step,
    ordinal,
    format: route.format,
    provider: provider?.name ?? 'none',
    model: secrets.maskText(model),
    request: {
      path: secrets.maskText(pathOf(route)),
      body: toExchangeBody(secrets.mask(body)),
    },
    answer: {
      status,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, secrets.maskText(value)]),
      ),
      body: toExchangeBody(secrets.maskEvents(bytes)),
      isTruncated,
    },
    ended,
    attempts: requests,
    usage,
    spent,
    isEstimated,
    ...(trouble === undefined ? {} : { trouble }),
  }
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
    await options.record?.(exchange)
  } catch (error) {
    tally.trouble = { kind: 'failed', message: `An exchange cannot be kept: ${textOf(error)}` }
    stop.abort()
  }
}
