/** What went wrong below, as a rejection that says what to do. One that says so already stays. */

import { LoopError } from '../../loop/index.ts'

export function failure(what: string, cause: unknown, advice: string): unknown {
  if (cause instanceof LoopError || !(cause instanceof Error)) return cause
  return new LoopError('workspace-failed', `${what}: ${cause.message}. ${advice}`, { cause })
}
