/** One request to a provider and its outcome. Keys are added here and nowhere else. */

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { classifyProviderResponse } from '../loop/index.ts'
import type { ForwardedRequest, ProviderRefusal } from './forwarded-request.ts'
import { type Charge, computeCharge, inputCharge, noCharge, worstCharge } from './pricing/charge.ts'
import type { CallPlan } from './pricing/plan-call.ts'
import { relayResponse } from './relay-response.ts'
import type { ClientMask } from './secrets/secrets.ts'
import { recordedHeaders, type SentResponse } from './send-response.ts'
import type { SessionParts } from './session-types.ts'
import { UpstreamFailure } from './upstream.ts'
import { decodeResponse } from './wire/decode-response.ts'
import { toProviderHeaders } from './wire/headers.ts'

interface Chargeable {
  chargeFor(plan: CallPlan): Charge
}

export type Attempt = Chargeable &
  (
    | { readonly type: 'relayed'; readonly answered: SentResponse }
    | ProviderRefusal
    | {
        readonly type: 'failed'
        readonly status: number
        readonly message: string
        readonly ended: string
        readonly isRetryable: boolean
      }
  )

export async function attempt(
  session: SessionParts,
  request: ForwardedRequest,
  body: Buffer,
  onAccepted: () => void,
): Promise<Attempt> {
  const { upstream, limits } = session
  const { provider, route, signal, client } = request
  if (signal.aborted) return toFailure(new UpstreamFailure('unsent', 'The call was stopped.'))
  const key = lookUpKey(session, provider.name)
  try {
    const response = await upstream.send({
      url: provider.urlFor(route),
      headers: toProviderHeaders(request.headers, route.format, key, body.length),
      body,
      signal,
      answerMs: limits.answerMs,
    })
    const status = response.statusCode ?? 0
    if (status < 200 || (status >= 300 && status < 400)) return toRedirectFailure(status, response)
    const mask = session.secrets.forClient(key)
    const content = decodeResponse(response)
    if (content === undefined) return toEncodingFailure(response)
    if (status >= 400) return await readRefusal(response, content, mask, limits.idleMs)
    onAccepted()
    const { format } = route
    const relayed = await relayResponse({ response, content, client, format, mask, limits })
    const { ended, bytes, isTruncated, reading } = relayed
    const headers = recordedHeaders(response.headers)
    return {
      type: 'relayed',
      answered: { status, headers, bytes, isTruncated, ended, turn: reading.turn },
      chargeFor: (plan) => computeCharge(format, plan, relayed, provider.isFree),
    }
  } catch (error) {
    if (error instanceof UpstreamFailure) return toFailure(error)
    throw error
  }
}

/** A key that changed since the session started is a secret too. */
function lookUpKey(session: SessionParts, provider: string): string | undefined {
  const key = session.keys(provider)?.trim()
  if (key === undefined || key === '') return undefined
  if (!session.secrets.keys.includes(key)) session.secrets = session.secrets.withKey(key)
  return key
}

function toFailure({ kind, message }: UpstreamFailure): Attempt {
  return {
    type: 'failed',
    status: kind === 'silent' ? 504 : 502,
    message,
    ended: kind,
    isRetryable: kind === 'unreachable' || kind === 'broken',
    chargeFor: kind === 'unreachable' || kind === 'unsent' ? () => noCharge : inputCharge,
  }
}

/** A key must not follow a redirect, and no provider sends one. */
function toRedirectFailure(status: number, response: IncomingMessage): Attempt {
  response.destroy()
  return {
    type: 'failed',
    status: 502,
    message: `The provider answered ${status}, which is not a model response. Check its base URL.`,
    ended: 'redirect',
    isRetryable: false,
    chargeFor: () => noCharge,
  }
}

const errorBytesMax = 1024 * 1024

/** The usage is in the body, which cannot be decoded. */
function toEncodingFailure(response: IncomingMessage): Attempt {
  response.destroy()
  const encoding = response.headers['content-encoding'] ?? ''
  return {
    type: 'failed',
    status: 502,
    message: `The provider used an encoding that was not requested: ${encoding.slice(0, 40)}.`,
    ended: 'unreadable',
    isRetryable: false,
    chargeFor: worstCharge,
  }
}

async function readRefusal(
  response: IncomingMessage,
  content: Readable,
  mask: ClientMask,
  idleMs: number,
): Promise<Attempt> {
  const chunks: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => response.destroy(), idleMs)
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > errorBytesMax) break
      chunks.push(chunk)
    }
  } catch {
    // The bytes received so far are enough: the status is known.
  }
  clearTimeout(timer)
  const body = Buffer.concat(chunks)
  const status = response.statusCode ?? 0
  const kind = classifyProviderResponse(status, body.toString().slice(0, 20_000))
  const { headers } = response
  return { type: 'refused', status, headers, body, kind, mask, chargeFor: () => noCharge }
}
