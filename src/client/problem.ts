/** What a daemon answers when it does not do what it is asked: problem+json, as a rejection of ours. */

import { defined, type ErrorCode, errorTable, LoopError } from '../loop/index.ts'

/** With the same code, so that callers and exit codes are the same as without a daemon. */
export function rejectionFrom(status: number, body: string, where: string): LoopError {
  const { code, detail, details } = readProblem(body)
  if (status === 401) return wrongToken(where)
  if (code !== undefined && isErrorCode(code)) {
    const message = detail ?? `The daemon says ${code} (${status}). ${sameVersion}`
    return new LoopError(code, message, defined({ details }))
  }
  const said = detail === undefined ? `status ${status}` : `${detail} (status ${status})`
  return status >= 500 || status === 404
    ? new LoopError('not-available', `The daemon at ${where} answers with ${said}. ${sameVersion}`)
    : new LoopError('bad-request', `The daemon at ${where} refuses: ${said}. ${sameVersion}`)
}

const wrongToken = (where: string): LoopError =>
  new LoopError(
    'no-token',
    `The daemon at ${where} does not take this token. Give the right one with --token or LOOPD_TOKEN; ` +
      'where the daemon runs, this says it: loopctl daemon token',
  )

const sameVersion =
  'If it is of another version than loopctl, start it anew: loopctl daemon stop, then loopctl daemon start.'

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

interface ReadProblem {
  readonly code?: string
  readonly detail?: string
  readonly details?: NonNullable<LoopError['details']>
}

function readProblem(body: string): ReadProblem {
  try {
    const { code, detail, conflict } = JSON.parse(body) as Record<string, unknown>
    return {
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof detail === 'string' ? { detail } : {}),
      ...(conflict === undefined
        ? {}
        : { details: { conflict } as NonNullable<ReadProblem['details']> }),
    }
  } catch {
    return {}
  }
}
