/** A matrix, such as cases by iterations. A cell that differs from the one before it is marked, in which direction too. */

import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import type { Panel, PanelTone } from '../../client/browser.ts'

type Matrix = Extract<Panel, { type: 'matrix' }>

const fills: Readonly<Record<PanelTone, string>> = {
  plain: 'bg-sunken text-text',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  muted: 'bg-sunken text-muted',
}

const hasFlip = ({ cells }: Matrix['rows'][number]): boolean =>
  cells.some((cell) => cell?.flip !== undefined)

export function MatrixPanel({ panel }: { readonly panel: Matrix }): ReactElement {
  const { title, row, columns, rows } = panel
  const flipped = rows.filter(hasFlip)
  const [onlyFlips, setOnlyFlips] = useState(false)
  const shown = onlyFlips ? flipped : rows
  return (
    <div className="grid gap-2">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted">
        <span className="inline-flex items-center gap-1">
          <ArrowUp size={13} className="text-good" aria-hidden /> turned better
        </span>
        <span className="inline-flex items-center gap-1">
          <ArrowDown size={13} className="text-bad" aria-hidden /> turned worse
        </span>
        {flipped.length === 0 || flipped.length === rows.length ? null : (
          <label className="inline-flex items-center gap-1.5">
            <input
              type="checkbox"
              checked={onlyFlips}
              onChange={({ target }) => setOnlyFlips(target.checked)}
            />
            Only the {flipped.length} that changed
          </label>
        )}
      </p>
      <div className="max-h-[70vh] overflow-auto" tabIndex={0} role="region" aria-label={title}>
        <table className="border-separate border-spacing-0.5 text-xs">
          <thead>
            <tr>
              <th
                scope="col"
                className="sticky left-0 bg-panel pr-2 text-left font-medium text-muted"
              >
                {row}
              </th>
              {columns.map((name, at) => (
                <th key={at} scope="col" className="px-1 font-medium whitespace-nowrap text-muted">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <tr key={one.name}>
                <th
                  scope="row"
                  className="sticky left-0 max-w-56 truncate bg-panel pr-2 text-left font-mono font-normal"
                  title={one.name}
                >
                  {one.name}
                </th>
                {one.cells.map((cell, at) => (
                  <td key={at} className="p-0 text-center">
                    {cell === null ? <span className="text-muted">·</span> : <Cell cell={cell} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

function Cell({
  cell,
}: {
  readonly cell: NonNullable<Matrix['rows'][number]['cells'][number]>
}): ReactElement {
  const { text, tone, flip } = cell
  const Arrow = flip === 'better' ? ArrowUp : ArrowDown
  return (
    <span
      className={`flex min-w-8 items-center justify-center gap-0.5 rounded px-1 py-0.5 ${fills[tone]} ${flip === undefined ? '' : 'font-semibold'}`}
    >
      {text}
      {flip === undefined ? null : (
        <Arrow size={11} aria-label={flip === 'better' ? 'turned better' : 'turned worse'} />
      )}
    </span>
  )
}
