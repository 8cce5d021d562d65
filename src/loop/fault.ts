/**
 * Faults: failures of the outside world that a run expects. They are data in events, and `decide`
 * treats them. Code inside a step throws `FaultError` to say more than "it failed".
 */

import { isSpendingLimit, type SpendingLimitName } from './budget.ts'
import type { TreeId } from './ids.ts'
import { plainOutput } from './plain-output.ts'

/** A failure of the outside world that a run expects. It is recorded in an event. */
export interface Fault {
  /** What happened, as a stable key: `step-failed`, `timeout`, `rate-limited`, `budget`… */
  readonly code: string
  readonly message: string
  /** Retrying the same step may help. */
  readonly retryable: boolean
  /** The run cannot continue: another iteration would hit the same fault. */
  readonly fatal?: boolean
  /** For `rate-limited`: when the provider accepts requests again. */
  readonly retryAtMs?: number
  /** For `budget`: the limit that the worst case would have exceeded. */
  readonly limit?: SpendingLimitName
  /** For `budget`: the role of the agent whose limit it is. Absent: a limit of the run. */
  readonly agent?: string
  /** For `needs-work`: what the next iteration starts from. */
  readonly rework?: Rework
}

/** An action found that the work has to change first, because what it is based on has changed. */
export type Rework = {
  /** The files to continue with. */
  readonly tree: TreeId
  /** What they are compared with from now on. */
  readonly base: TreeId
  /** The commit with the files of the new base. */
  readonly commit: string
}

const messageCharsMax = 4000

/** Throw it in a step to say what failed and whether a retry may help. */
export class FaultError extends Error {
  readonly fault: Fault
  constructor(fault: Fault, options?: { readonly cause?: unknown }) {
    const known = normalize(fault)
    super(known.message, options)
    this.name = 'FaultError'
    this.fault = known
  }
}

/** A provider refused because of a rate limit. The step waits, and this does not count as a failure. */
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

/** The text of a thrown value. Never throws. */
export function textOf(error: unknown): string {
  try {
    const text: unknown = error instanceof Error ? error.message : error
    return typeof text === 'string' ? text : String(text)
  } catch {
    return 'a value was thrown that cannot be shown as text'
  }
}

/** Joins several lines into one, where only one fits; the lines that a tool printed are kept. */
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

/** Only the members of a fault, with the right types, because it is written to the journal. */
function normalize(fault: Fault): Fault {
  const { code, message, retryable, fatal, retryAtMs, limit, agent, rework } = fault
  return {
    code: typeof code === 'string' ? code : 'step-failed',
    message: plainOutput(textOf(message ?? '')).slice(0, messageCharsMax),
    retryable: retryable ?? false,
    ...(fatal === true ? { fatal } : {}),
    ...(typeof retryAtMs === 'number' && Number.isFinite(retryAtMs) ? { retryAtMs } : {}),
    ...(isSpendingLimit(limit) ? { limit } : {}),
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(isRework(rework) ? { rework } : {}),
  }
}

const isRework = (rework: Rework | undefined): rework is Rework =>
  [rework?.tree, rework?.base, rework?.commit].every((one) => typeof one === 'string')

/** Converts what a step's code threw. Only known transient failures are retryable. */
export function toFault(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault
  const message = textOf(error)
  const code = codeOf(error)
  return {
    // Numeric codes, such as those of DOMException, are not stable keys.
    code: typeof code === 'string' ? code : 'step-failed',
    message: plainOutput(message).slice(0, messageCharsMax),
    retryable: typeof code === 'string' && transientCodes.has(code),
  }
}

/**
 * Equal for two errors that a person would call the same: numbers, hashes, ids, times and the
 * temporary parts of paths are removed.
 */
export function errorSignature(fault: Fault): string {
  const text = fault.message
    .toLowerCase()
    .replaceAll(/\/tmp\/\S+/g, '<tmp>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<n>')
    .replaceAll(/\b(?:0x[0-9a-f]+|[0-9a-f]{7,})\b/g, '<n>')
    // Request ids: long, without separators, with several digits.
    .replaceAll(/(?<![a-z0-9])(?=(?:[a-z]*\d){3})[a-z0-9]{20,}(?![a-z0-9])/g, '<n>')
    .replaceAll(/\d+(?:[.:,]\d+)*/g, '<n>')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
  return `${fault.code}: ${text}`
}
