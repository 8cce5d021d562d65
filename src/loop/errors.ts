/**
 * Rejections: requests that cannot be served as they are. The message says what to do next.
 * One table gives each code its HTTP status and its exit code.
 */

import { plainOutput } from './plain-output.ts'

/** The stable key of a `LoopError`. */
export type ErrorCode =
  | 'bad-request'
  | 'bad-name'
  | 'bad-answer'
  | 'bad-checkpoint'
  | 'bad-config'
  | 'bad-loop-file'
  | 'bad-template'
  | 'bad-policy'
  | 'not-trusted'
  | 'not-serialisable'
  | 'unknown-run'
  | 'unknown-checkpoint'
  | 'unknown-question'
  | 'unknown-artifact'
  | 'unknown-file'
  | 'unknown-fact'
  | 'unknown-schedule'
  | 'ambiguous-run'
  | 'wrong-status'
  | 'already-answered'
  | 'name-taken'
  | 'key-reused'
  | 'run-busy'
  | 'workspace-busy'
  | 'fenced'
  | 'code-changed'
  | 'step-mismatch'
  | 'nested-step'
  | 'not-configured'
  | 'not-available'
  | 'needs-in-place'
  | 'missing-program'
  | 'store-newer'
  | 'store-damaged'
  | 'store-failed'
  | 'workspace-failed'
  | 'dependencies-failed'
  | 'wrong-host'
  | 'forbidden'
  | 'no-token'
  | 'unknown-path'
  | 'wrong-method'
  | 'wrong-media-type'
  | 'too-large'
  | 'daemon-running'
  | 'daemon-ending'

/** The facts of the message, for programs. */
export interface ErrorDetails {
  /** The runs that match. */
  readonly candidates?: readonly { readonly id: string; readonly name: string }[]
  /** What can be done with the run in its current status. */
  readonly possible?: readonly string[]
  /** The conflict that prevents a merge. */
  readonly conflict?: {
    readonly target: string
    readonly branch: string
    readonly files: readonly string[]
  }
  /** For `not-configured`: the environment variables that are not set. */
  readonly variables?: readonly string[]
  /** For `not-trusted`: the loop file, and what it can do. */
  readonly preview?: {
    readonly file: string
    readonly digest: string
    readonly powers: readonly string[]
  }
  /** The fields of the request that are wrong, such as `input.goal`. */
  readonly errors?: readonly { readonly field: string; readonly reason: string }[]
}

export interface LoopErrorOptions {
  readonly cause?: unknown
  readonly details?: ErrorDetails
}

/** A request that was rejected, with a stable `code` and a message that says what to do. */
export class LoopError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined
  constructor(code: ErrorCode, message: string, options: LoopErrorOptions = {}) {
    super(plainOutput(message), 'cause' in options ? { cause: options.cause } : {})
    this.name = 'LoopError'
    this.code = code
    this.details = options.details
  }
}

/** Whether an error is a `LoopError`, and has this code if one is given. */
export const isLoopError = (error: unknown, code?: ErrorCode): error is LoopError =>
  error instanceof LoopError && (code === undefined || error.code === code)

export interface Treatment {
  readonly httpStatus: number
  readonly exitCode: number
}

const rejected = (httpStatus: number, exitCode: number): Treatment => ({ httpStatus, exitCode })

/** Exit codes follow sysexits where one fits; a rejection never uses 0 or 1. */
export const errorTable: Readonly<Record<ErrorCode, Treatment>> = {
  'bad-request': rejected(400, 64),
  'bad-name': rejected(400, 64),
  'bad-answer': rejected(400, 64),
  'bad-checkpoint': rejected(400, 65),
  'bad-config': rejected(422, 78),
  'bad-loop-file': rejected(400, 65),
  'bad-template': rejected(400, 65),
  'bad-policy': rejected(400, 65),
  'not-trusted': rejected(403, 77),
  'not-serialisable': rejected(422, 65),
  'unknown-run': rejected(404, 66),
  'unknown-checkpoint': rejected(404, 66),
  'unknown-question': rejected(404, 66),
  'unknown-artifact': rejected(404, 66),
  'unknown-file': rejected(404, 66),
  'unknown-fact': rejected(404, 66),
  'unknown-schedule': rejected(404, 66),
  'ambiguous-run': rejected(409, 66),
  'wrong-status': rejected(409, 73),
  'already-answered': rejected(409, 73),
  'name-taken': rejected(409, 73),
  'key-reused': rejected(422, 64),
  'run-busy': rejected(409, 75),
  'workspace-busy': rejected(409, 75),
  fenced: rejected(409, 75),
  'code-changed': rejected(409, 78),
  'step-mismatch': rejected(409, 70),
  'nested-step': rejected(422, 65),
  'not-configured': rejected(422, 78),
  'not-available': rejected(501, 69),
  'needs-in-place': rejected(422, 64),
  'missing-program': rejected(503, 69),
  'store-newer': rejected(503, 78),
  'store-damaged': rejected(503, 74),
  'store-failed': rejected(503, 74),
  'workspace-failed': rejected(503, 74),
  'dependencies-failed': rejected(422, 69),
  'wrong-host': rejected(421, 69),
  forbidden: rejected(403, 77),
  'no-token': rejected(401, 77),
  'unknown-path': rejected(404, 64),
  'wrong-method': rejected(405, 64),
  'wrong-media-type': rejected(415, 64),
  'too-large': rejected(413, 64),
  'daemon-running': rejected(409, 75),
  'daemon-ending': rejected(503, 75),
}
