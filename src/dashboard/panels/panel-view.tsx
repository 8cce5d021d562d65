/** A panel of a loop type: data in, elements out. Everything in it is text. */

import type { ReactElement } from 'react'
import type { Panel, Run } from '../../client/browser.ts'
import { BoardPanel } from './board-panel.tsx'
import { DiffPanel } from './diff-panel.tsx'
import { MatrixPanel } from './matrix-panel.tsx'
import { SeriesPanel } from './series-panel.tsx'
import { TablePanel } from './table-panel.tsx'

export interface PanelViewProps {
  readonly panel: Panel
  readonly run: Pick<Run, 'id' | 'name'>
}

export function PanelView({ panel, run }: PanelViewProps): ReactElement {
  const { title, text, leftOut } = panel
  return (
    <section
      className="grid min-w-0 gap-2 rounded-xl border border-line bg-panel p-4"
      aria-label={title}
    >
      <header>
        <h2 className="font-semibold">{title}</h2>
        {text === undefined ? null : <p className="whitespace-pre-wrap text-muted">{text}</p>}
      </header>
      <Body panel={panel} run={run} />
      {leftOut === undefined ? null : <p className="text-xs text-muted">Not shown: {leftOut}</p>}
    </section>
  )
}

function Body({ panel, run }: PanelViewProps): ReactElement {
  switch (panel.type) {
    case 'table':
      return panel.board === undefined ? (
        <TablePanel panel={panel} run={run} />
      ) : (
        <BoardPanel panel={panel} board={panel.board} run={run} />
      )
    case 'series':
      return <SeriesPanel panel={panel} />
    case 'diff':
      return <DiffPanel panel={panel} run={run} />
    case 'matrix':
      return <MatrixPanel panel={panel} />
    case 'text':
      return (
        <p
          className="max-h-96 overflow-y-auto rounded-md bg-sunken p-3 whitespace-pre-wrap"
          tabIndex={0}
        >
          {panel.body}
        </p>
      )
  }
}
