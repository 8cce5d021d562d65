/**
 * What goes wrong between us and an MCP server, with a stable key. Whatever the SDK throws becomes
 * one of these, and at the edge of a tool all of them become data.
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

/** JSON-RPC error codes that our transports put in the place of an answer that never came. */
export const answerUnreadable = -32_098
export const answerLost = -32_099

const messageCharsMax = 2000
const invalidParams = -32_602

/**
 * The failure behind an error of the SDK, for a question that had this signal. Classes of the SDK are
 * not compared, so that nothing of it has to be loaded here.
 */
export function toMcpFailure(error: unknown, signal: AbortSignal): McpFailure {
  if (error instanceof McpFailure && error.code !== 'aborted') return error
  if (signal.aborted) return ofAbort(signal.reason, error)
  if (error instanceof McpFailure) return error
  const { code, status, cause } = fieldsOf(error)
  // What `fetch` throws has the failure of a response that is too long as its cause.
  if (cause instanceof McpFailure) return cause
  const message = plainText(textOf(error), messageCharsMax)
  const failure = (key: McpFailureCode, text: string): McpFailure =>
    new McpFailure(key, text, { cause: error })
  if (status !== undefined) return ofStatus(status, message, failure)
  if (typeof code === 'number') return ofAnswer(code, message, failure)
  switch (code) {
    case 'REQUEST_TIMEOUT':
      return failure('timeout', late)
    case 'CONNECTION_CLOSED':
    case 'NOT_CONNECTED':
    case 'SEND_FAILED':
      return failure('server-gone', 'The connection ended.')
    case 'INVALID_RESULT':
    case 'UNSUPPORTED_RESULT_TYPE':
    case 'CLIENT_HTTP_UNEXPECTED_CONTENT':
      return failure('bad-answer', `It answered with something else than it must: ${message}`)
    default:
      return isNetwork(error)
        ? failure('server-gone', `It cannot be reached: ${reasonOf(error)}`)
        : failure('bad-answer', message)
  }
}

const late = 'It did not answer in time.'

function ofAbort(reason: unknown, cause: unknown): McpFailure {
  const isLate = reason instanceof Error && reason.name === 'TimeoutError'
  if (isLate) return new McpFailure('timeout', late, { cause })
  return new McpFailure('aborted', 'The call was cancelled.', { cause })
}

type Make = (code: McpFailureCode, text: string) => McpFailure

function ofAnswer(code: number, message: string, failure: Make): McpFailure {
  if (code === answerLost) return failure('server-gone', message)
  if (code === answerUnreadable) return failure('bad-answer', message)
  return failure(code === invalidParams ? 'bad-arguments' : 'tool-failed', message)
}

function ofStatus(status: number, message: string, failure: Make): McpFailure {
  if (status === 401 || status === 403) {
    const text = `It answered with HTTP ${status}. Give a valid token in the server's headers.`
    return failure('not-authorised', text)
  }
  // A session that the server does not know any more.
  if (status === 404) return failure('server-gone', 'It answered with HTTP 404. Check the address.')
  return failure('bad-answer', `It answered with HTTP ${status}: ${message}`)
}

interface Fields {
  readonly code: unknown
  readonly status: number | undefined
  readonly cause: unknown
}

function fieldsOf(error: unknown): Fields {
  if (!(error instanceof Error)) return { code: undefined, status: undefined, cause: undefined }
  const { code, status } = error as { code?: unknown; status?: unknown }
  return { code, status: typeof status === 'number' ? status : undefined, cause: error.cause }
}

/** `fetch` reports all of these as a TypeError; the SDK says "Not connected" without a code. */
const isNetwork = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.message === 'Not connected')

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return plainText(textOf(cause ?? error), messageCharsMax)
}
