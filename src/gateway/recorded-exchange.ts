/**
 * One recorded exchange: the request and the response, without secrets. It is a view for people and
 * for replays; the accounting is in the journal.
 */

import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import { type Amount, LoopError, spendingLimitNames } from '../loop/index.ts'
import { type SessionTrouble, troubleKinds } from './totals.ts'
import type { TokenUsage } from './wire/usage.ts'

/** One request to a model provider and its answer, without secrets. */
export interface Exchange {
  readonly version: 1
  /** The step of the session, and the number of the exchange in it, from 1. */
  readonly step: string
  readonly ordinal: number
  readonly format: 'anthropic' | 'chat' | 'responses' | 'gemini'
  readonly provider: string
  readonly model: string
  readonly atMs: number
  readonly durationMs: number
  readonly request: {
    readonly path: string
    readonly body: ExchangeBody
    /** The body was not recorded: it is a token count, after many others. */
    readonly isOmitted?: boolean | undefined
  }
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: ExchangeBody
    /** Only the start was recorded, so it cannot be replayed. */
    readonly isTruncated: boolean
  }
  /** How it ended, as a stable key: `complete`, `idle`, `rate-limited`, `budget`… */
  readonly ended: string
  /** Requests to the provider. */
  readonly attempts: number
  readonly usage: TokenUsage
  readonly spent: Amount
  /** The provider did not report its usage, or there is no price for this exact model. */
  readonly isEstimated: boolean
  /** The problem that the session has had since this exchange. */
  readonly trouble?: SessionTrouble | undefined
}

/** The body of a recorded request or answer. */
export interface ExchangeBody {
  readonly encoding: 'utf8' | 'base64'
  readonly text: string
}

const count = z.int().min(0)
const body = z.object({ encoding: z.enum(['utf8', 'base64']), text: z.string() })

const troubleSchema: z.ZodType<SessionTrouble> = z.object({
  kind: z.enum(troubleKinds),
  message: z.string(),
  limit: z.enum(spendingLimitNames).optional(),
  agent: z.string().optional(),
  rateLimitedUntilMs: z.number().optional(),
})

const exchangeSchema: z.ZodType<Exchange> = z.object({
  version: z.literal(1),
  step: z.string(),
  ordinal: z.int().min(1),
  format: z.enum(['anthropic', 'chat', 'responses', 'gemini']),
  provider: z.string(),
  model: z.string(),
  atMs: z.number(),
  durationMs: z.number(),
  request: z.object({ path: z.string(), body, isOmitted: z.boolean().optional() }),
  answer: z.object({
    status: z.int().min(100).max(599),
    headers: z.record(z.string(), z.string()),
    body,
    isTruncated: z.boolean(),
  }),
  ended: z.string(),
  attempts: count,
  usage: z.object({
    input: count,
    cacheRead: count,
    cacheWrite: count,
    cacheWriteHour: count,
    output: count,
    webSearches: count,
  }),
  spent: z.object({ tokens: count, costMicros: count, outputTokens: count.exactOptional() }),
  isEstimated: z.boolean(),
  trouble: troubleSchema.optional(),
})

/** The request and the response in base64, both at maximum size. */
const exchangeBytesMax = 128 * 1024 * 1024

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** The content of the blob for one exchange. Compressed, because conversations are repetitive. */
export const writeExchange = async (exchange: Exchange): Promise<Uint8Array> =>
  pack(JSON.stringify(exchange))

/** Reads an exchange that `writeExchange` wrote. */
export async function readExchange(content: Uint8Array): Promise<Exchange> {
  try {
    const text = await unpack(content, { maxOutputLength: exchangeBytesMax })
    return exchangeSchema.parse(JSON.parse(text.toString()))
  } catch (error) {
    const message = 'This is not a recorded exchange. Record the run again to replay it.'
    throw new LoopError('bad-request', message, { cause: error })
  }
}

export function toExchangeBody(bytes: Buffer): ExchangeBody {
  return isUtf8(bytes)
    ? { encoding: 'utf8', text: bytes.toString() }
    : { encoding: 'base64', text: bytes.toString('base64') }
}

export const toBytes = ({ encoding, text }: ExchangeBody): Buffer => Buffer.from(text, encoding)
