/**
 * Faults: failures of the outside world that a run expects. They are data in events, and `decide`
 * treats them. Code inside a step throws `FaultError` to say more than "it failed".
 */

import { plainOutput } from './plain-output.ts'

/** A failure of the outside world that a run expects. It is recorded in an event. */
export interface Fault {
  /** What happened, as a stable key: `step-failed`, `timeout`, `rate-limited`, `budget`… */
  readonly code: string
  readonly message: string
  /** Trying the same step again may help. */
  readonly retryable: boolean
  /** The run cannot go on after this; another iteration would meet it again. */
  readonly fatal?: boolean
  /** For `rate-limited`: when the window opens again. */
  readonly retryAtMs?: number
  /** For `budget`: the limit that the worst case would have broken. */
  readonly limit?: 'tokens' | 'cost'
}

const messageCharsMax = 4000

/** Throw it in a step to say what failed and whether trying again may help. */
export class FaultError extends Error {
  readonly fault: Fault
  constructor(fault: Fault, options?: { readonly cause?: unknown }) {
    const known = normalise(fault)
    super(known.message, options)
    this.name = 'FaultError'
    this.fault = known
  }
}

/** A provider said "not now". The step waits for its window and is not counted as a failure. */
export function rateLimited(message: string, retryAtMs: number): FaultError {
  return new FaultError({ code: 'rate-limited', message, retryable: true, retryAtMs })
}

const transientCodes = new Set([
  'EAGAIN',
  'EBUSY',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETUNREACH',
  'ENFILE',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
])

/** What was thrown, as text: total, whatever it is. */
export function textOf(error: unknown): string {
  try {
    const text: unknown = error instanceof Error ? error.message : error
    return typeof text === 'string' ? text : String(text)
  } catch {
    return 'something was thrown that cannot be shown'
  }
}

/** Of several lines one, for places that have room for one: lines that a tool printed are kept. */
export const inOneLine = (text: string, charsMax = 1000): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('; ')
    .slice(0, charsMax)

function codeOf(error: unknown): unknown {
  try {
    return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  } catch {
    return undefined
  }
}

/** Only what a fault consists of, in the types it should have: it is written to the journal. */
function normalise(fault: Fault): Fault {
  const { code, message, retryable, fatal, retryAtMs, limit } = fault
  return {
    code: typeof code === 'string' ? code : 'step-failed',
    message: plainOutput(textOf(message ?? '')).slice(0, messageCharsMax),
    retryable: retryable ?? false,
    ...(fatal === true ? { fatal } : {}),
    ...(typeof retryAtMs === 'number' && Number.isFinite(retryAtMs) ? { retryAtMs } : {}),
    ...(limit === 'tokens' || limit === 'cost' ? { limit } : {}),
  }
}

/** What a step's code threw, as a fault. Only known transient failures are worth a second try. */
export function toFault(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault
  const message = textOf(error)
  const code = codeOf(error)
  return {
    // Numbers, such as those of DOMException, name nothing.
    code: typeof code === 'string' ? code : 'step-failed',
    message: plainOutput(message).slice(0, messageCharsMax),
    retryable: typeof code === 'string' && transientCodes.has(code),
  }
}

/**
 * Equal for two errors that a person would call the same: numbers, hashes, ids, paths' temporary
 * parts and times are taken out.
 */
export function errorSignature(fault: Fault): string {
  const text = fault.message
    .toLowerCase()
    .replaceAll(/\/tmp\/\S+/g, '<tmp>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<n>')
    .replaceAll(/\b(?:0x[0-9a-f]+|[0-9a-f]{7,})\b/g, '<n>')
    // Ids of requests: long, without a break, with several digits.
    .replaceAll(/(?<![a-z0-9])(?=(?:[a-z]*\d){3})[a-z0-9]{20,}(?![a-z0-9])/g, '<n>')
    .replaceAll(/\d+(?:[.:,]\d+)*/g, '<n>')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
  return `${fault.code}: ${text}`
}
