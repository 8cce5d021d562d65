import type { Outcome } from '../../loop/index.ts'

/** How a run ended, or that it was suspended and can be resumed. */
export type RunEnd =
  | { readonly type: 'ended'; readonly outcome: Outcome }
  | { readonly type: 'suspended'; readonly reason: string }
