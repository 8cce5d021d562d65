/** A run: its facts and controls, and its parts as tabs. */

import type { ReactElement } from 'react'
import { Link, useLocation } from 'wouter'
import type { RunPanels } from '../../../client/browser.ts'
import { useRun, useRunPart } from '../../app/queries.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Loading, Problem } from '../../parts/problem.tsx'
import { RunHeader } from './run-header.tsx'
import { ChangesTab } from './tabs/changes-tab.tsx'
import { EventsTab } from './tabs/events-tab.tsx'
import { EvidenceTab } from './tabs/evidence-tab.tsx'
import { FilesTab } from './tabs/files-tab.tsx'
import { IterationsTab } from './tabs/iterations-tab.tsx'
import { LedgerTab } from './tabs/ledger-tab.tsx'
import { LogTab } from './tabs/log-tab.tsx'
import { PanelsTab } from './tabs/panels-tab.tsx'
import { PolicyTab } from './tabs/policy-tab.tsx'
import type { TabProps } from './tabs/tab-props.ts'
import { TraceTab } from './tabs/trace-tab.tsx'

type RunTab = readonly [path: string, name: string, Tab: (props: TabProps) => ReactElement]

const tabs: readonly RunTab[] = [
  ['overview', 'Iterations', IterationsTab],
  ['trace', 'Trace', TraceTab],
  ['log', 'Log', LogTab],
  ['changes', 'Changes', ChangesTab],
  ['evidence', 'Evidence', EvidenceTab],
  ['policy', 'Policy', PolicyTab],
  ['ledger', 'Ledger', LedgerTab],
  ['files', 'Prompts and files', FilesTab],
  ['events', 'Events', EventsTab],
]

export interface RunPageProps {
  readonly run: string
  readonly tab: string
}

export function RunPage({ run, tab }: RunPageProps): ReactElement {
  const { data, error } = useRun(run)
  const panels = useRunPart<RunPanels>(data?.run.id ?? run, 'panels', {
    isNeeded: data !== undefined,
  }).data
  const [, go] = useLocation()
  // It belongs to the loop type, so its place is before the parts that every run has.
  const hasPanels = panels !== undefined && panels.items.length + panels.problems.length > 0
  const own: RunTab = ['panels', panels?.name ?? 'Results', PanelsTab]
  const shown = hasPanels || tab === 'panels' ? [own, ...tabs] : tabs
  const pathOf = (path: string): string =>
    path === 'overview' ? `/runs/${run}` : `/runs/${run}/${path}`
  useShortcuts({
    u: () => go('/runs'),
    ...(hasPanels ? { 0: () => go(pathOf('panels')) } : {}),
    ...Object.fromEntries(tabs.map(([path], at) => [String(at + 1), () => go(pathOf(path))])),
  })
  if (error !== null && data === undefined) {
    return (
      <div className="p-6">
        <Problem error={error} />
      </div>
    )
  }
  if (data === undefined) return <Loading />
  const [, , Tab = IterationsTab] = shown.find(([path]) => path === tab) ?? []
  return (
    <div className="flex min-h-full flex-col">
      <RunHeader detail={data} />
      <nav
        aria-label="Parts of the run"
        className="sticky top-0 z-10 flex gap-1 overflow-x-auto border-b border-line bg-bg px-4 md:px-6"
      >
        {shown.map(([path, name]) => (
          <Link
            key={path}
            href={pathOf(path)}
            aria-current={path === tab ? 'page' : undefined}
            className={`-mb-px border-b-2 px-2.5 py-2 whitespace-nowrap ${path === tab ? 'border-accent font-medium text-accent' : 'border-transparent text-muted hover:text-text'}`}
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="min-h-0 flex-1 p-4 md:p-6">
        <Tab detail={data} />
      </div>
    </div>
  )
}
