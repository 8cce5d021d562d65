/** Turns an error response of the daemon (problem+json) into a rejection. */

import { defined, type ErrorCode, errorTable, LoopError } from '../loop/index.ts'

/** Keeps the code, so that callers and exit codes are the same as without a daemon. */
export function toRejection(status: number, body: string, where: string): LoopError {
  const { code, detail, details } = readProblem(body)
  if (status === 401) return wrongToken(where)
  if (code !== undefined && isErrorCode(code)) {
    const message = detail ?? `The daemon answered ${code} (${status}). ${sameVersion}`
    return new LoopError(code, message, defined({ details }))
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

interface ReadProblem {
  readonly code?: string
  readonly detail?: string
  readonly details?: NonNullable<LoopError['details']>
}

function readProblem(body: string): ReadProblem {
  try {
    const read = JSON.parse(body) as Record<string, unknown>
    const { code, detail } = read
    const details = Object.fromEntries(detailNames.flatMap((name) => pick(read, name)))
    return {
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof detail === 'string' ? { detail } : {}),
      ...(Object.keys(details).length === 0 ? {} : { details }),
    }
  } catch {
    return {}
  }
}

const detailNames = ['conflict', 'errors', 'preview', 'variables'] as const

const pick = (
  read: Readonly<Record<string, unknown>>,
  name: string,
): readonly (readonly [string, unknown])[] => (read[name] === undefined ? [] : [[name, read[name]]])
