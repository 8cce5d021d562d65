/** Nothing to show: why, and the command that changes that. */

import type { ReactElement, ReactNode } from 'react'
import { Command } from './command.tsx'

export interface EmptyProps {
  readonly title: string
  readonly children?: ReactNode
  readonly command?: string
}

export const Empty = ({ title, children, command }: EmptyProps): ReactElement => (
  <div className="grid justify-items-start gap-2 rounded-lg border border-dashed border-line p-5">
    <p className="font-medium">{title}</p>
    {children === undefined ? null : <div className="text-muted">{children}</div>}
    {command === undefined ? null : <Command text={command} />}
  </div>
)
