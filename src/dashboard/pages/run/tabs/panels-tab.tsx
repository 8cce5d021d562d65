/** What the loop type of the run shows of it. Drawings are loaded when there are some. */

import { lazy, type ReactElement, Suspense } from 'react'
import type { RunPanels } from '../../../../client/browser.ts'
import { useRunPart } from '../../../app/queries.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Loading, Problem } from '../../../parts/problem.tsx'
import type { TabProps } from './tab-props.ts'

const PanelView = lazy(async () => ({
  default: (await import('../../../panels/panel-view.tsx')).PanelView,
}))

export function PanelsTab({ detail }: TabProps): ReactElement {
  const { run } = detail
  const { data, error } = useRunPart<RunPanels>(run.id, 'panels')
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  if (data.items.length === 0 && data.problems.length === 0) {
    return <Empty title="Its loop shows nothing here yet." command={`loopctl tail ${run.name}`} />
  }
  return (
    <div className="grid gap-4">
      {data.problems.map((problem) => (
        <p key={problem} className="rounded-md bg-warn-soft p-2 text-warn">
          {problem}
        </p>
      ))}
      <Suspense fallback={<Loading />}>
        {data.items.map((panel, at) => (
          <PanelView key={`${at} ${panel.title}`} panel={panel} run={run} />
        ))}
      </Suspense>
    </div>
  )
}
