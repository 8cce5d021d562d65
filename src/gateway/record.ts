/**
 * One exchange as it is kept: what was asked and what was answered, without secrets. It is a view for
 * people and for replays; the account is in the journal.
 */

import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import { type Amount, LoopError } from '../loop/index.ts'
import type { SessionTrouble } from './totals.ts'
import type { TokenUsage } from './usage.ts'

/** One request to a model provider and its answer, without secrets. */
export interface Exchange {
  readonly version: 1
  /** The step that the session is for, and which of its exchanges this is, from 1. */
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
    /** The body was not kept: it only asked how many tokens something has, as many had before. */
    readonly isOmitted?: boolean | undefined
  }
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: ExchangeBody
    /** Only the beginning was kept; it cannot be replayed. */
    readonly isTruncated: boolean
  }
  /** How it ended, as a stable key: `complete`, `idle`, `rate-limited`, `budget`… */
  readonly ended: string
  /** Requests to the provider. */
  readonly attempts: number
  readonly usage: TokenUsage
  readonly spent: Amount
  /** The provider did not say what it used, or there is no price for the very model. */
  readonly isEstimated: boolean
  /** What stood in the way of the session after it. */
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
  kind: z.enum(['budget', 'rate-limited', 'not-allowed', 'unknown-model', 'too-long', 'failed']),
  message: z.string(),
  limit: z.enum(['tokens', 'cost']).optional(),
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
  spent: z.object({ tokens: count, costMicros: count }),
  isEstimated: z.boolean(),
  trouble: troubleSchema.optional(),
})

/** The request and the answer as base64, each at its longest. */
const exchangeBytesMax = 128 * 1024 * 1024

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** What is put into the store, one blob for each exchange. Conversations repeat themselves a lot. */
export const writeExchange = async (exchange: Exchange): Promise<Uint8Array> =>
  pack(JSON.stringify(exchange))

/** Reads an exchange that `writeExchange` wrote. */
export async function readExchange(content: Uint8Array): Promise<Exchange> {
  try {
    const text = await unpack(content, { maxOutputLength: exchangeBytesMax })
    return exchangeSchema.parse(JSON.parse(text.toString()))
  } catch (error) {
    const message = 'This is no record of an exchange. Record the run again to replay it.'
    throw new LoopError('bad-request', message, { cause: error })
  }
}

export function toExchangeBody(bytes: Buffer): ExchangeBody {
  return isUtf8(bytes)
    ? { encoding: 'utf8', text: bytes.toString() }
    : { encoding: 'base64', text: bytes.toString('base64') }
}

export const bytesOfBody = ({ encoding, text }: ExchangeBody): Buffer => Buffer.from(text, encoding)
