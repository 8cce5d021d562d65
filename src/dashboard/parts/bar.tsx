/** How much of a limit is used. The numbers stand beside it. */

import type { ReactElement } from 'react'

export interface BarProps {
  readonly used: number
  readonly of: number
  readonly label: string
}

const warnAt = 0.8

export function Bar({ used, of, label }: BarProps): ReactElement {
  const share = of <= 0 ? 0 : Math.min(1, used / of)
  const tone = share >= 1 ? 'bg-bad' : share >= warnAt ? 'bg-warn' : 'bg-accent'
  return (
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={Math.min(used, of)}
      className="block h-1 w-full overflow-hidden rounded-full bg-sunken"
    >
      <span className={`block h-full ${tone}`} style={{ width: `${share * 100}%` }} />
    </span>
  )
}
