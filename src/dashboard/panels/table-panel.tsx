/** A panel as a table. */

import type { ReactElement } from 'react'
import type { Panel, Run } from '../../client/browser.ts'
import { Table } from '../parts/table.tsx'
import { CellView } from './panel-cell.tsx'

export interface TablePanelProps {
  readonly panel: Extract<Panel, { type: 'table' }>
  readonly run: Pick<Run, 'name'>
}

export function TablePanel({ panel, run }: TablePanelProps): ReactElement {
  const { title, columns, rows } = panel
  if (rows.length === 0) return <p className="text-muted">Nothing yet.</p>
  return (
    <Table label={title} columns={columns}>
      {rows.map((cells, at) => (
        <tr key={at} className="border-b border-line align-top last:border-0">
          {cells.map((cell, column) => (
            <td
              key={column}
              className={`px-3 py-1.5 ${typeof cell === 'number' ? 'text-right' : ''}`}
            >
              <CellView cell={cell} run={run} />
            </td>
          ))}
        </tr>
      ))}
    </Table>
  )
}
