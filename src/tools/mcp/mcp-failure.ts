/**
 * Failures between this client and an MCP server, with stable codes. All SDK errors become one of
 * these, and at the edge of a tool all of them become data.
 */

import { textOf } from '../../loop/index.ts'
import { ToolError } from '../tool.ts'
import { plainText } from './plain-text.ts'

export type McpFailureCode =
  | 'aborted'
  | 'bad-answer'
  | 'bad-arguments'
  | 'not-authorised'
  | 'server-gone'
  | 'timeout'
  | 'tool-failed'

export class McpFailure extends ToolError {
  declare readonly code: McpFailureCode
  constructor(code: McpFailureCode, message: string, options?: { readonly cause?: unknown }) {
    super(code, message, options)
    this.name = 'McpFailure'
  }
}

/** JSON-RPC error codes that our transports use for answers that never came. */
export const answerUnreadable = -32_098
export const answerLost = -32_099

const messageCharsMax = 2000
const invalidParams = -32_602

/**
 * The failure behind an SDK error, for a request with this signal. SDK classes are not compared, so
 * that the SDK need not be loaded here.
 */
export function toMcpFailure(error: unknown, signal: AbortSignal): McpFailure {
  if (error instanceof McpFailure && error.code !== 'aborted') return error
  if (signal.aborted) return toAbortFailure(signal.reason, error)
  if (error instanceof McpFailure) return error
  const { code, status, cause } = readFields(error)
  // If a response is too long, the error of `fetch` has that failure as its cause.
  if (cause instanceof McpFailure) return cause
  const message = plainText(textOf(error), messageCharsMax)
  const failure = (key: McpFailureCode, text: string): McpFailure =>
    new McpFailure(key, text, { cause: error })
  if (status !== undefined) return toStatusFailure(status, message, failure)
  if (typeof code === 'number') return toAnswerFailure(code, message, failure)
  switch (code) {
    case 'REQUEST_TIMEOUT':
      return failure('timeout', timedOut)
    case 'CONNECTION_CLOSED':
    case 'NOT_CONNECTED':
    case 'SEND_FAILED':
      return failure('server-gone', 'The connection ended.')
    case 'INVALID_RESULT':
    case 'UNSUPPORTED_RESULT_TYPE':
    case 'CLIENT_HTTP_UNEXPECTED_CONTENT':
      return failure('bad-answer', `Its answer is invalid: ${message}`)
    default:
      return isNetwork(error)
        ? failure('server-gone', `It cannot be reached: ${describeCause(error)}`)
        : failure('bad-answer', message)
  }
}

const timedOut = 'It did not answer in time.'

function toAbortFailure(reason: unknown, cause: unknown): McpFailure {
  const isLate = reason instanceof Error && reason.name === 'TimeoutError'
  if (isLate) return new McpFailure('timeout', timedOut, { cause })
  return new McpFailure('aborted', 'The call was cancelled.', { cause })
}

type Make = (code: McpFailureCode, text: string) => McpFailure

function toAnswerFailure(code: number, message: string, failure: Make): McpFailure {
  if (code === answerLost) return failure('server-gone', message)
  if (code === answerUnreadable) return failure('bad-answer', message)
  return failure(code === invalidParams ? 'bad-arguments' : 'tool-failed', message)
}

function toStatusFailure(status: number, message: string, failure: Make): McpFailure {
  if (status === 401 || status === 403) {
    const text = `It answered with HTTP ${status}. Configure a valid token in the server's headers.`
    return failure('not-authorised', text)
  }
  // The server no longer knows the session.
  if (status === 404) return failure('server-gone', 'It answered with HTTP 404. Check the address.')
  return failure('bad-answer', `It answered with HTTP ${status}: ${message}`)
}

interface Fields {
  readonly code: unknown
  readonly status: number | undefined
  readonly cause: unknown
}

function readFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { code: undefined, status: undefined, cause: undefined }
  const { code, status } = error as { code?: unknown; status?: unknown }
  return { code, status: typeof status === 'number' ? status : undefined, cause: error.cause }
}

/** `fetch` reports all of these as a TypeError; the SDK says "Not connected" without a code. */
const isNetwork = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.message === 'Not connected')

function describeCause(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return plainText(textOf(cause ?? error), messageCharsMax)
}
