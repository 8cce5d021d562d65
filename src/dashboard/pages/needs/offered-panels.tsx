/** The options of a question as diffs, if the loop of the run shows them so: each can be picked. */

import { lazy, type ReactElement, Suspense } from 'react'
import type { InboxQuestion, Panel, RunPanels } from '../../../client/browser.ts'
import { useRunPart } from '../../app/queries.ts'
import { Loading } from '../../parts/problem.tsx'

const PanelView = lazy(async () => ({
  default: (await import('../../panels/panel-view.tsx')).PanelView,
}))

/** Undefined: not known yet. */
export function useOffered({ id, run, question }: InboxQuestion): readonly Panel[] | undefined {
  const { data, error } = useRunPart<RunPanels>(run.id, 'panels', {
    isNeeded: (question.options ?? []).length > 2,
  })
  if ((question.options ?? []).length <= 2 || error !== null) return []
  return data?.items.filter((panel) => panel.type === 'diff' && panel.answer?.question === id)
}

export interface OfferedPanelsProps {
  readonly asked: InboxQuestion
  readonly panels: readonly Panel[]
}

export const OfferedPanels = ({ asked, panels }: OfferedPanelsProps): ReactElement => (
  <Suspense fallback={<Loading />}>
    {panels.map((panel) => (
      <PanelView key={panel.title} panel={panel} run={asked.run} />
    ))}
  </Suspense>
)
