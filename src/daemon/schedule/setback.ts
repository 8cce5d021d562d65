/**
 * What becomes of a run that could not go on: it is tried again after a while where the reason passes by
 * itself, and waits for a person where it does not.
 */

import { type ErrorCode, isLoopError } from '../../loop/index.ts'

/** A full disk, a store that fails, a folder that another run is at work in. */
const passing: readonly ErrorCode[] = [
  'store-failed',
  'workspace-failed',
  'workspace-busy',
  'run-busy',
  'fenced',
]

/** Ends of system calls that have nothing to do with what was asked. */
const passingSystem = ['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY']

const firstMs = 5000
const longestMs = 5 * 60_000
/** About two hours. */
export const triesMax = 30

/** How long to wait before the run is tried again; undefined: a person has to do something. */
export function retryAfterMs(error: unknown, tries: number): number | undefined {
  if (tries >= triesMax || !isPassing(error)) return undefined
  return Math.min(firstMs * 2 ** Math.min(tries, 10), longestMs)
}

function isPassing(error: unknown): boolean {
  if (isLoopError(error)) return passing.includes(error.code)
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  return typeof code === 'string' && passingSystem.includes(code)
}
