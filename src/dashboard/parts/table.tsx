/** The frame of a table: it scrolls by itself when it is wider than the page. */

import type { ReactElement, ReactNode } from 'react'

export interface TableProps {
  readonly label: string
  readonly columns: readonly string[]
  /** Rows. */
  readonly children: ReactNode
}

export const Table = ({ label, columns, children }: TableProps): ReactElement => (
  <div
    className="overflow-x-auto rounded-xl border border-line bg-panel"
    tabIndex={0}
    role="region"
    aria-label={label}
  >
    <table className="w-full text-left wrap-break-word">
      <thead className="text-xs text-muted">
        <tr className="border-b border-line">
          {columns.map((name, at) => (
            <th key={`${at} ${name}`} scope="col" className="px-3 py-2 font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)
