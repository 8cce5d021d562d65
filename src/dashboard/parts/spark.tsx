/** One bar for each of the last iterations: how many checks were met after it. What turned worse is marked. */

import type { ReactElement } from 'react'
import type { RunSummary } from '../../client/browser.ts'
import { money } from './format.ts'

const barWidth = 4
const gap = 1
const height = 20
const barsMax = 16
const heightMin = 2

type SparkProps = Pick<RunSummary, 'points'> & { readonly of: number }

export function Spark({ points, of }: SparkProps): ReactElement | null {
  const shown = points.slice(-barsMax)
  const last = shown.at(-1)
  if (last === undefined) return null
  const most = Math.max(of, ...shown.map(({ met }) => met), 1)
  const label = `Iterations ${shown[0]?.iteration ?? 0} to ${last.iteration}: ${shown.map(({ met }) => met).join(', ')} of ${of} checks met; ${money(last.costMicros)} spent`
  return (
    <svg
      role="img"
      aria-label={label}
      width={shown.length * (barWidth + gap)}
      height={height}
      className="block"
    >
      <title>{label}</title>
      {shown.map(({ iteration, met }, at) => {
        const isWorse = met < (shown[at - 1]?.met ?? 0)
        const size = Math.max(heightMin, (met / most) * height)
        const tone = isWorse ? 'fill-bad' : met >= of && of > 0 ? 'fill-good' : 'fill-muted'
        return (
          <rect
            key={iteration}
            x={at * (barWidth + gap)}
            y={height - size}
            width={barWidth}
            height={size}
            className={tone}
          />
        )
      })}
    </svg>
  )
}
