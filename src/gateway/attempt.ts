/** One request to a provider and what came of it. Secrets are added here, and nowhere else. */

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { providerAnswerKind } from '../loop/index.ts'
import { type Charge, chargeOf, inputCharge, noCharge, worstCharge } from './charge.ts'
import { decodeAnswer } from './decode-answer.ts'
import type { ForwardedRequest, ProviderRefusal } from './forwarded-request.ts'
import { toProvider } from './headers.ts'
import type { CallPlan } from './plan-call.ts'
import { relayAnswer } from './relay-answer.ts'
import type { ClientMask } from './secrets.ts'
import { type Answered, recordedHeaders } from './send-answer.ts'
import type { SessionParts } from './session-types.ts'
import { UpstreamFailure } from './upstream.ts'

interface Charged {
  chargeFor(plan: CallPlan): Charge
}

export type Attempt = Charged &
  (
    | { readonly type: 'relayed'; readonly answered: Answered }
    | ProviderRefusal
    | {
        readonly type: 'failed'
        readonly status: number
        readonly message: string
        readonly ended: string
        readonly isWorthAnother: boolean
      }
  )

export async function attempt(
  session: SessionParts,
  request: ForwardedRequest,
  body: Buffer,
  taken: () => void,
): Promise<Attempt> {
  const { upstream, limits } = session
  const { provider, route, signal, client } = request
  if (signal.aborted) return failed(new UpstreamFailure('unsent', 'The call was stopped.'))
  const key = keyOf(session, provider.name)
  try {
    const answer = await upstream.send({
      url: provider.addressOf(route),
      headers: toProvider(request.headers, route.format, key, body.length),
      body,
      signal,
      answerMs: limits.answerMs,
    })
    const status = answer.statusCode ?? 0
    if (status < 200 || (status >= 300 && status < 400)) return redirected(status, answer)
    const mask = session.secrets.forClient(key)
    const content = decodeAnswer(answer)
    if (content === undefined) return unreadable(answer)
    if (status >= 400) return await refused(answer, content, mask, limits.idleMs)
    taken()
    const { format } = route
    const relayed = await relayAnswer({ answer, content, client, format, mask, limits })
    const { ended, bytes, isTruncated, reading } = relayed
    const headers = recordedHeaders(answer.headers)
    return {
      type: 'relayed',
      answered: { status, headers, bytes, isTruncated, ended, turn: reading.turn },
      chargeFor: (plan) => chargeOf(format, plan, relayed, provider.isFree),
    }
  } catch (error) {
    if (error instanceof UpstreamFailure) return failed(error)
    throw error
  }
}

/** A key that is new since the session began is a secret too. */
function keyOf(session: SessionParts, provider: string): string | undefined {
  const key = session.keys(provider)?.trim()
  if (key === undefined || key === '') return undefined
  if (!session.secrets.keys.includes(key)) session.secrets = session.secrets.withKey(key)
  return key
}

function failed({ kind, message }: UpstreamFailure): Attempt {
  return {
    type: 'failed',
    status: kind === 'silent' ? 504 : 502,
    message,
    ended: kind,
    isWorthAnother: kind === 'unreachable' || kind === 'broken',
    chargeFor: kind === 'unreachable' || kind === 'unsent' ? () => noCharge : inputCharge,
  }
}

/** A key must not follow a redirect, and no provider sends one. */
function redirected(status: number, answer: IncomingMessage): Attempt {
  answer.destroy()
  return {
    type: 'failed',
    status: 502,
    message: `The provider answered ${status}, which is no answer of a model. Check its base URL.`,
    ended: 'redirect',
    isWorthAnother: false,
    chargeFor: () => noCharge,
  }
}

const errorBytesMax = 1024 * 1024

/** What it used is in there, and nobody here can read it. */
function unreadable(answer: IncomingMessage): Attempt {
  answer.destroy()
  const encoding = answer.headers['content-encoding'] ?? ''
  return {
    type: 'failed',
    status: 502,
    message: `The provider answered in an encoding that nobody asked for: ${encoding.slice(0, 40)}.`,
    ended: 'unreadable',
    isWorthAnother: false,
    chargeFor: worstCharge,
  }
}

async function refused(
  answer: IncomingMessage,
  content: Readable,
  mask: ClientMask,
  idleMs: number,
): Promise<Attempt> {
  const chunks: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => answer.destroy(), idleMs)
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > errorBytesMax) break
      chunks.push(chunk)
    }
  } catch {
    // What has come says enough: the status is known.
  }
  clearTimeout(timer)
  const body = Buffer.concat(chunks)
  const status = answer.statusCode ?? 0
  const kind = providerAnswerKind(status, body.toString().slice(0, 20_000))
  const { headers } = answer
  return { type: 'refused', status, headers, body, kind, mask, chargeFor: () => noCharge }
}
