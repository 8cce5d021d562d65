/** Shown without a connection: what happened, and the command that opens the dashboard. */

import type { ReactElement } from 'react'
import { Command } from '../parts/command.tsx'

const reasons = {
  none: 'This tab is not connected to the daemon. A link connects one tab.',
  used: 'This link was used before, or is older than a minute. A link works once.',
  ended: 'The daemon no longer accepts the token of this tab: it was replaced.',
  unreachable: 'The daemon does not answer.',
  broken: 'This page met an error of its own. Nothing was changed by it.',
} as const

export const ClosedPage = ({ why }: { readonly why: keyof typeof reasons }): ReactElement => (
  <main className="grid h-full place-items-center p-6">
    <div className="grid max-w-md gap-3">
      <h1 className="text-lg font-semibold">Loopwright</h1>
      <p>{reasons[why]}</p>
      <p className="text-muted">Open it from a terminal on this machine:</p>
      <Command text="loopctl dashboard" />
    </div>
  </main>
)
