/** A table as a board: a lane for each value of one column, a card for each row. Its first other column is the title of a card. */

import type { ReactElement } from 'react'
import type { Panel, PanelCell, Run } from '../../client/browser.ts'
import { CellView, textOfCell } from './panel-cell.tsx'

type TablePanel = Extract<Panel, { type: 'table' }>

export interface BoardPanelProps {
  readonly panel: TablePanel
  readonly board: NonNullable<TablePanel['board']>
  readonly run: Pick<Run, 'name'>
}

export function BoardPanel({ panel, board, run }: BoardPanelProps): ReactElement {
  const { columns, rows } = panel
  const laneOf = (cells: readonly PanelCell[]): string => textOfCell(cells[board.column] ?? '')
  const known = new Set(board.lanes)
  const lanes = [...known, ...new Set(rows.map(laneOf).filter((lane) => !known.has(lane)))]
  return (
    <div className="grid gap-3 [grid-template-columns:repeat(auto-fit,minmax(13rem,1fr))]">
      {lanes.map((lane) => {
        const cards = rows.filter((cells) => laneOf(cells) === lane)
        return (
          <section key={lane} className="grid content-start gap-2 rounded-lg bg-sunken p-2">
            <h3 className="flex justify-between px-1 font-medium">
              {lane} <span className="text-muted">{cards.length}</span>
            </h3>
            <ul className="grid gap-2">
              {cards.map((cells, at) => (
                <li key={at} className="grid gap-1 rounded-md border border-line bg-panel p-2">
                  <Card columns={columns} cells={cells} lane={board.column} run={run} />
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

interface CardProps {
  readonly columns: readonly string[]
  readonly cells: readonly PanelCell[]
  readonly lane: number
  readonly run: Pick<Run, 'name'>
}

function Card({ columns, cells, lane, run }: CardProps): ReactElement {
  const shown = cells
    .map((cell, at) => ({ cell, at, name: columns[at] ?? '' }))
    .filter(({ at, cell }) => at !== lane && textOfCell(cell) !== '')
  const [title, ...others] = shown
  return (
    <>
      {title === undefined ? null : (
        <div className="font-medium">
          <CellView cell={title.cell} run={run} />
        </div>
      )}
      {others.length === 0 ? null : (
        <dl className="grid gap-0.5 text-xs">
          {others.map(({ cell, at, name }) => (
            <div key={at} className="flex gap-1.5">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0">
                <CellView cell={cell} run={run} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}
