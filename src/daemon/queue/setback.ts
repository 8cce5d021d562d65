/**
 * Decides about a run that could not continue: it is retried after a delay if the reason is temporary;
 * otherwise it waits for a person.
 */

import { type ErrorCode, isLoopError } from '../../loop/index.ts'

/** For example a full disk, a failing store, or a folder that another run works in. */
const passing: readonly ErrorCode[] = [
  'store-failed',
  'workspace-failed',
  'workspace-busy',
  'run-busy',
  'fenced',
]

/** Errors of system calls that do not depend on the request. */
const passingSystem = ['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY']

const firstMs = 5000
const longestMs = 5 * 60_000
/** About two hours. */
export const triesMax = 30

/** The delay before the next retry; undefined: a person has to do something. */
export function retryAfterMs(error: unknown, tries: number): number | undefined {
  if (tries >= triesMax || !isPassing(error)) return undefined
  return Math.min(firstMs * 2 ** Math.min(tries, 10), longestMs)
}

function isPassing(error: unknown): boolean {
  if (isLoopError(error)) return passing.includes(error.code)
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  return typeof code === 'string' && passingSystem.includes(code)
}
