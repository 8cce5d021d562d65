/**
 * The text of a summary in its row. Its points are most of it and change once in an iteration, while a summary is written
 * many times: they are stored without their keys, and their text is reused.
 */

import type { IterationPoint, StateSummary } from '../../loop/run-summary.ts'

export interface EncodedSummary {
  readonly summary: StateSummary
  readonly body: string
  readonly pointsText: string
  readonly restText: string
}

type PointRow = readonly [iteration: number, costMicros: number, tokens: number, met: number]

export function encodeSummary(summary: StateSummary, before?: EncodedSummary): EncodedSummary {
  const { points, activeMs, ...rest } = summary
  const pointsText =
    points === before?.summary.points ? before.pointsText : JSON.stringify(points.map(toRow))
  const restText = JSON.stringify(rest)
  const body = `{"activeMs":${activeMs},"points":${pointsText},${restText.slice(1)}`
  return { summary, body, pointsText, restText }
}

/** Active time grows with every event, so it alone is not worth a write. */
export const isSameExceptTime = (one: EncodedSummary, other: EncodedSummary): boolean =>
  one.restText === other.restText && one.pointsText === other.pointsText

/** Earlier versions wrote points as objects. */
export function decodeSummary(body: string): StateSummary {
  const stored = JSON.parse(body) as Omit<StateSummary, 'points'> & {
    readonly points: readonly (PointRow | IterationPoint)[]
  }
  return {
    ...stored,
    points: stored.points.map((point) => (isRow(point) ? toPoint(point) : point)),
  }
}

const toRow = ({ iteration, costMicros, tokens, met }: IterationPoint): PointRow => [
  iteration,
  costMicros,
  tokens,
  met,
]

const toPoint = ([iteration, costMicros, tokens, met]: PointRow): IterationPoint => ({
  iteration,
  costMicros,
  tokens,
  met,
})

const isRow = (point: PointRow | IterationPoint): point is PointRow => Array.isArray(point)
