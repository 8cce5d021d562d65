/** Wraps an error into a LoopError with advice. A LoopError is returned unchanged. */

import { LoopError } from '../../loop/index.ts'

export function wrapError(message: string, cause: unknown, advice: string): unknown {
  if (cause instanceof LoopError || !(cause instanceof Error)) return cause
  return new LoopError('workspace-failed', `${message}: ${cause.message}. ${advice}`, { cause })
}
