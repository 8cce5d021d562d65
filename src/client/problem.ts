/** Turns an error response of the daemon (problem+json) into a rejection. */

import { type ErrorCode, errorTable, LoopError } from '../loop/index.ts'

/** Keeps the code, so that callers and exit codes are the same as without a daemon. */
export function toRejection(status: number, body: string, where: string): LoopError {
  const { code, detail } = readProblem(body)
  if (status === 401) return wrongToken(where)
  if (code !== undefined && isErrorCode(code)) {
    return new LoopError(code, detail ?? `The daemon answered ${code} (${status}). ${sameVersion}`)
  }
  const reason = detail === undefined ? `status ${status}` : `${detail} (status ${status})`
  return status >= 500 || status === 404
    ? new LoopError('not-available', `The daemon at ${where} failed: ${reason}. ${sameVersion}`)
    : new LoopError('bad-request', `The daemon at ${where} refused: ${reason}. ${sameVersion}`)
}

const wrongToken = (where: string): LoopError =>
  new LoopError(
    'no-token',
    `The daemon at ${where} does not accept this token. Pass the right one with --token or LOOPD_TOKEN; ` +
      'to print it on the machine of the daemon: loopctl daemon token',
  )

const sameVersion =
  'If it has another version than loopctl, restart it: loopctl daemon stop, then loopctl daemon start.'

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

function readProblem(body: string): { readonly code?: string; readonly detail?: string } {
  try {
    const { code, detail } = JSON.parse(body) as Record<string, unknown>
    return {
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof detail === 'string' ? { detail } : {}),
    }
  } catch {
    return {}
  }
}
