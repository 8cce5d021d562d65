/** Runs that ended without success or that cannot go on by themselves: no question is open, but a person may want to act. */

import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { RunSummary } from '../../../client/browser.ts'
import { useRunList } from '../../app/queries.ts'
import { Status, statusOf } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'

const shownMax = 8
const words = new Set(['Interrupted', 'Failed', 'Stuck', 'Denied', 'Limit reached', 'Certified'])

export function WorthALook(): ReactElement | null {
  const { items } = useRunList({})
  const worth = items
    .filter((item) => words.has(statusOf(item).word) && !isDone(item))
    .toSorted((a, b) => b.run.updatedAtMs - a.run.updatedAtMs)
    .slice(0, shownMax)
  if (worth.length === 0) return null
  return (
    <section aria-labelledby="worth-a-look" className="grid gap-2">
      <h2 id="worth-a-look" className="font-semibold">
        Worth a look
      </h2>
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel">
        {worth.map((item) => (
          <li key={item.run.id}>
            <Link
              href={`/runs/${item.run.name}`}
              className="grid gap-x-4 px-3 py-2 hover:bg-sunken sm:grid-cols-[9rem_12rem_1fr_auto] sm:items-baseline"
            >
              <Status shown={statusOf(item)} />
              <span className="truncate font-medium">{item.run.name}</span>
              <span className="truncate text-muted">
                {statusOf(item).word === 'Certified'
                  ? 'Its work is certified and not merged yet.'
                  : item.line}
              </span>
              <span className="text-xs text-muted">
                <Time atMs={item.run.updatedAtMs} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Certified, and there is nothing to merge. */
const isDone = (item: RunSummary): boolean =>
  statusOf(item).word === 'Certified' && item.run.branch === undefined
