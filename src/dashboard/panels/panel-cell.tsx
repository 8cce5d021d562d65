/** A cell of a table or a line of a card. */

import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { PanelCell, PanelTone, Run } from '../../client/browser.ts'

export const panelTones: Readonly<Record<PanelTone, string>> = {
  plain: '',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  muted: 'text-muted',
}

export const textOfCell = (cell: PanelCell): string =>
  typeof cell === 'object' ? cell.text : String(cell)

export interface CellViewProps {
  readonly cell: PanelCell
  readonly run: Pick<Run, 'name'>
}

export function CellView({ cell, run }: CellViewProps): ReactElement {
  if (typeof cell !== 'object') return <>{cell}</>
  const { text, tone = 'plain', hint, iteration } = cell
  return (
    <span className={panelTones[tone]}>
      {iteration === undefined ? (
        text
      ) : (
        <Link
          href={`/runs/${run.name}?iteration=${iteration}`}
          className="text-accent hover:underline"
        >
          {text}
        </Link>
      )}
      {hint === undefined || hint === text ? null : (
        <details className="text-xs text-muted">
          <summary>Details</summary>
          <p className="whitespace-pre-wrap">{hint}</p>
        </details>
      )}
    </span>
  )
}
