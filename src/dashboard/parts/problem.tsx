/** A request that failed: what happened, in the words of the daemon. */

import { TriangleAlert } from 'lucide-react'
import type { ReactElement } from 'react'

export const Problem = ({ error }: { readonly error: unknown }): ReactElement => (
  <p role="alert" className="flex items-start gap-2 rounded-md bg-bad-soft p-3 text-bad">
    <TriangleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
    <span>{error instanceof Error ? error.message : String(error)}</span>
  </p>
)

export const Loading = (): ReactElement => (
  <p className="p-3 text-muted" role="status">
    Loading…
  </p>
)
