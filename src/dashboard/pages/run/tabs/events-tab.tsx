/** Every event of the run as the journal has it, newest first. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import {
  describeEvent,
  type Page,
  type RecordedEvent,
  runPath,
} from '../../../../client/browser.ts'
import { useConnection } from '../../../app/connection.ts'
import { runKey } from '../../../app/live.ts'
import { Button } from '../../../parts/button.tsx'
import { clock, plural } from '../../../parts/format.ts'
import { Loading, Problem } from '../../../parts/problem.tsx'
import type { TabProps } from './tab-props.ts'

const pageSize = 300

export function EventsTab({ detail }: TabProps): ReactElement {
  const { client } = useConnection()
  const { run } = detail
  const last = run.lastSeq
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: [...runKey(run.id), 'events'],
    // From the end: each page ends where the one before it began.
    queryFn: async ({ pageParam }) => {
      const to = pageParam === 0 ? last : pageParam
      const after = Math.max(0, to - pageSize)
      const page = (await client.get(runPath(run.id, 'events'), {
        after,
        limit: pageParam === 0 ? pageSize * 2 : Math.max(1, to - after),
      })) as Page<RecordedEvent>
      return { after, items: page.items.toReversed() }
    },
    initialPageParam: 0,
    getNextPageParam: ({ after }) => (after === 0 ? undefined : after),
  })
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  const items = data.pages.flatMap((page) => page.items)
  return (
    <div className="grid gap-2">
      <p className="text-muted">
        {plural(last, 'event')}, newest first. Open one to see it as it is stored.
      </p>
      <ol className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-panel">
        {items.map((recorded) => (
          <EventRow key={recorded.seq} recorded={recorded} />
        ))}
      </ol>
      {hasNextPage ? (
        <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
          Earlier events
        </Button>
      ) : null}
    </div>
  )
}

const textCharsMax = 300

function EventRow({ recorded }: { readonly recorded: RecordedEvent }): ReactElement {
  const [isOpen, setIsOpen] = useState(false)
  const { seq, atMs, event } = recorded
  return (
    <li>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="flex gap-3 px-3 py-1 text-[13px] hover:bg-sunken">
          <span className="w-12 shrink-0 text-right text-muted">{seq}</span>
          <span className="shrink-0 text-muted">{clock(atMs)}</span>
          <span className="min-w-0 truncate">{describeEvent(event).slice(0, textCharsMax)}</span>
        </summary>
        {isOpen ? (
          <pre
            tabIndex={0}
            className="max-h-96 overflow-auto border-t border-line bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
          >
            {JSON.stringify(recorded, undefined, 2)}
          </pre>
        ) : null}
      </details>
    </li>
  )
}
