/** One run of the list. */

import { Hand, TrendingDown } from 'lucide-react'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { RunSummary } from '../../../client/browser.ts'
import { Bar } from '../../parts/bar.tsx'
import { money, plural, shortCount, shortPath } from '../../parts/format.ts'
import { Spark } from '../../parts/spark.tsx'
import { Status, statusOf } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import type { ListRow } from './group-runs.ts'
import type { Grouping } from './run-filter.ts'

const columns =
  'md:grid md:grid-cols-[8rem_minmax(0,1fr)_6rem_7rem_7rem_5.5rem_4.5rem] md:items-center md:gap-x-3'

const heads = ['Status', 'Run', 'Iteration', 'Checks met', 'Cost', 'History', 'Updated'] as const

export const ListHead = (): ReactElement => (
  <div
    role="row"
    className={`sticky top-0 z-10 hidden border-b border-line bg-bg px-3 py-1.5 text-xs font-medium text-muted ${columns}`}
  >
    {heads.map((name) => (
      <span key={name} role="columnheader">
        {name}
      </span>
    ))}
  </div>
)

export const GroupRow = ({
  row,
}: {
  readonly row: Extract<ListRow, { type: 'group' }>
}): ReactElement => (
  <div role="row" className="flex flex-wrap items-baseline gap-x-3 px-3 pt-5 pb-1.5">
    <span role="cell" className="font-semibold">
      {shortPath(row.name)}
    </span>
    <span role="cell" className="text-xs text-muted">
      {plural(row.runs, 'run')}
      {row.active > 0 ? ` · ${row.active} active` : ''}
      {row.needs > 0 ? ` · ${plural(row.needs, 'question')}` : ''} · {money(row.costMicros)}
    </span>
  </div>
)

export interface RunRowProps {
  readonly item: RunSummary
  readonly isCurrent: boolean
  readonly grouping: Grouping
}

export function RunRow({ item, isCurrent, grouping }: RunRowProps): ReactElement {
  const { run, line, checks, spent, limits, points, open } = item
  const place = [
    ...(grouping === 'loop' ? [] : [run.loop]),
    ...(grouping === 'repository' ? [] : [shortPath(run.repository ?? run.workspace ?? '')]),
  ].filter((text) => text !== '')
  return (
    <div role="row" aria-current={isCurrent ? 'true' : undefined} className="pb-px">
      <div
        className={`relative rounded-md border bg-panel px-3 py-2 hover:border-accent ${isCurrent ? 'border-accent' : 'border-line'} ${columns}`}
      >
        <span role="cell" className="block">
          <Status shown={statusOf(item)} />
        </span>
        <span role="cell" className="block min-w-0">
          <span className="flex min-w-0 items-baseline gap-2">
            <Link
              href={`/runs/${run.name}`}
              className="shrink-0 truncate font-medium after:absolute after:inset-0"
            >
              {run.name}
            </Link>
            <span className="truncate text-xs text-muted">{place.join(' · ')}</span>
          </span>
          <span className="flex items-center gap-1.5 truncate text-[13px] text-muted">
            {item.waitsFor?.type === 'person' ? (
              <Hand size={13} className="shrink-0 text-warn" aria-hidden />
            ) : null}
            <span className="truncate">{line}</span>
          </span>
        </span>
        <span role="cell" className="mt-1 mr-4 inline-block md:m-0">
          <OnPhone text="Iteration" />
          {open?.iteration ?? run.iteration}
          <span className="text-muted"> of {limits.iterations}</span>
        </span>
        <span role="cell" className="mr-4 inline-block md:m-0">
          <OnPhone text="Checks" />
          <ChecksMet checks={checks} />
        </span>
        <span
          role="cell"
          className="mr-4 inline-block md:m-0"
          title={`${shortCount(spent.tokens)} tokens`}
        >
          {money(spent.costMicros)}
          <span className="text-muted"> of {money(limits.costMicros)}</span>
          <span className="max-md:hidden">
            <Bar
              used={spent.costMicros}
              of={limits.costMicros}
              label={`${run.name}: cost against its budget`}
            />
          </span>
        </span>
        <span role="cell" className="hidden md:block">
          <Spark points={points} of={checks.of} />
        </span>
        <span role="cell" className="inline-block text-xs text-muted md:block">
          <Time atMs={run.updatedAtMs} />
        </span>
      </div>
    </div>
  )
}

/** The head of the table names the columns on wide screens. */
const OnPhone = ({ text }: { readonly text: string }): ReactElement => (
  <span className="text-xs text-muted md:hidden">{text} </span>
)

function ChecksMet({ checks }: Pick<RunSummary, 'checks'>): ReactElement {
  const { met, of, worse } = checks
  if (of === 0) return <span className="text-muted">none</span>
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {met} <span className="text-muted">of {of}</span>
      {worse.length === 0 ? null : (
        <span
          className="inline-flex items-center gap-0.5 text-bad"
          title={`Worse: ${worse.join(', ')}`}
        >
          <TrendingDown size={14} aria-hidden />
          <span className="text-xs">worse</span>
        </span>
      )}
    </span>
  )
}
