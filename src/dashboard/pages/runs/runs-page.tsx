/** All runs: what each does, waits for or ended with, filtered and grouped. New ones appear by themselves. */

import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { useLocation } from 'wouter'
import type { RunSummary } from '../../../client/browser.ts'
import { useRunList } from '../../app/queries.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loading, Problem } from '../../parts/problem.tsx'
import { groupRuns } from './group-runs.ts'
import { isInView, type RunChoice, toRunsFilter, useRunChoice } from './run-filter.ts'
import { RunFilters } from './run-filters.tsx'
import { GroupRow, ListHead, RunRow } from './run-row.tsx'

const nearEnd = 30

export function RunsPage(): ReactElement {
  const [choice, change] = useRunChoice()
  const { items, query } = useRunList(toRunsFilter(choice))
  const shown = useMemo(
    () => items.filter((item) => isInView(item, choice.view)),
    [items, choice.view],
  )
  const rows = useMemo(() => groupRuns(shown, choice.group), [shown, choice.group])
  const [at, setAt] = useState(-1)
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const name = useRef<HTMLInputElement>(null)
  const [, go] = useLocation()
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const more = (): void => {
    const last =
      list.current?.findItemIndex(
        (list.current.scrollOffset ?? 0) + (list.current.viewportSize ?? 0),
      ) ?? 0
    if (hasNextPage && !isFetchingNextPage && last > rows.length - nearEnd) void fetchNextPage()
  }
  // A filter may leave too few of a page to scroll.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && rows.length < nearEnd) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, rows.length])
  const move = (by: number): void => {
    let next = at
    do next += by
    while (rows[next]?.type === 'group')
    if (rows[next] === undefined) return
    setAt(next)
    list.current?.scrollToIndex(next, { align: 'nearest' })
  }
  const current = rows[at]
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => {
      if (current?.type === 'run') go(`/runs/${current.item.run.name}`)
    },
    '/': () => name.current?.focus(),
  })
  return (
    <div className="grid h-full grid-rows-[auto_1fr]">
      <RunFilters choice={choice} change={change} items={items} nameField={name} />
      <div ref={scroller} onScroll={more} className="min-h-0 overflow-y-auto px-4 pb-4 md:px-6">
        {query.error !== null ? <Problem error={query.error} /> : null}
        {query.isPending ? <Loading /> : null}
        {query.isSuccess && rows.length === 0 ? (
          <NoRuns choice={choice} hasRuns={items.length > 0} />
        ) : null}
        {rows.length === 0 ? null : (
          <div role="table" aria-label="Runs" aria-rowcount={hasNextPage ? -1 : shown.length}>
            <ListHead />
            <div role="rowgroup">
              <Virtualizer ref={list} scrollRef={scroller} startMargin={30} data={rows}>
                {(row, index) =>
                  row.type === 'group' ? (
                    <GroupRow key={`group ${row.name}`} row={row} />
                  ) : (
                    <RunRow
                      key={row.item.run.id}
                      item={row.item}
                      isCurrent={index === at}
                      grouping={choice.group}
                    />
                  )
                }
              </Virtualizer>
            </div>
          </div>
        )}
      </div>
    </div>
  )
}

interface NoRunsProps {
  readonly choice: RunChoice
  readonly hasRuns: boolean
}

function NoRuns({ choice, hasRuns }: NoRunsProps): ReactElement {
  const isFiltered = hasRuns || choice.loop !== '' || choice.name !== '' || choice.workspace !== ''
  return isFiltered ? (
    <Empty title="No run fits this filter.">Clear a filter to see more runs.</Empty>
  ) : (
    <Empty title="No run yet." command="loopctl run">
      Go to a repository with a loop file, and start a run:
    </Empty>
  )
}

export type { RunSummary }
