/**
 * Errors as problem+json. A rejection has the status and code of the error table, and its message; an internal
 * error has only the request id, which is in the log.
 */

import { STATUS_CODES } from 'node:http'
import { errorTable, isEnd, isLoopError, type LoopError, type RunStatus } from '../../loop/index.ts'
import type { Problem } from '../../protocol/api/index.ts'
import type { DaemonParts } from '../parts.ts'
import { RequestError } from './read-request.ts'

export const problemType = 'application/problem+json'

export interface RequestInfo {
  readonly requestId: string
  readonly method: string
  /** Of the route, such as `/runs/{run}`. */
  readonly path: string
  /** The run, as the request names it. */
  readonly run?: string
}

export async function toProblem(
  { host, log }: Pick<DaemonParts, 'host' | 'log'>,
  error: unknown,
  at: RequestInfo,
): Promise<Problem> {
  const { requestId, method, path } = at
  const instance = `urn:loopwright:request:${requestId}`
  if (!isLoopError(error)) {
    log.error({ requestId, method, path, error: stackOf(error) }, 'internal error in a request')
    const detail = `Internal error ${requestId}. See the log: loopctl daemon logs`
    return problem(500, 'internal', detail, { instance })
  }
  const { httpStatus } = errorTable[error.code]
  if (httpStatus >= 500) log.warn({ requestId, method, path, code: error.code }, error.message)
  return problem(httpStatus, error.code, error.message, {
    instance,
    ...error.details,
    ...(error instanceof RequestError ? { errors: error.errors } : {}),
    ...(await possibleFor(host, error, at.run)),
  })
}

export const problem = (
  status: number,
  code: string,
  detail: string,
  more: Partial<Problem> = {},
): Problem => ({
  type: 'about:blank',
  title: STATUS_CODES[status] ?? 'Error',
  status,
  detail,
  code,
  ...more,
})

/** Adds what is possible in this state. */
async function possibleFor(
  host: DaemonParts['host'],
  error: LoopError,
  run: string | undefined,
): Promise<Pick<Problem, 'possible'>> {
  if (error.code !== 'wrong-status' || run === undefined) return {}
  try {
    return { possible: possibleNow((await host.journal.findRun(run)).status) }
  } catch {
    return {}
  }
}

/** The operations that are possible in this status. */
export function possibleNow(status: RunStatus): readonly string[] {
  if (status === 'completed') {
    return ['merge', 'create-pr', 'scrap', 'reset', 'fork', 'postmortem', 'delete']
  }
  if (isEnd(status)) return ['scrap', 'reset', 'retry', 'fork', 'postmortem', 'delete']
  const isWorking = status === 'running' || status === 'waiting'
  return [isWorking ? 'pause' : 'resume', 'stop', 'cancel', 'limits', 'fork', 'reset']
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
