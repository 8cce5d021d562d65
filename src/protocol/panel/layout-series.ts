/** Where the lines, bands and ticks of a series are drawn. Pure geometry, for the dashboard and the HTML report. */

import type { Panel } from './panel.ts'

type Series = Extract<Panel, { type: 'series' }>

export interface SeriesLayout {
  readonly width: number
  readonly height: number
  /** The area inside of the axes. */
  readonly area: {
    readonly left: number
    readonly right: number
    readonly top: number
    readonly bottom: number
  }
  readonly lines: readonly DrawnLine[]
  readonly marks: readonly { readonly name: string; readonly y: number }[]
  readonly xTicks: readonly Tick[]
  readonly yTicks: readonly Tick[]
}

export interface DrawnLine {
  readonly name: string
  /** As of an SVG path. Empty: it has no points. */
  readonly path: string
  /** The area between the ends of its intervals. */
  readonly band: string
  readonly points: readonly DrawnPoint[]
}

export interface DrawnPoint {
  readonly x: number
  readonly y: number
  /** What to say about it. */
  readonly text: string
  /** The ends of its interval. */
  readonly ends?: readonly [low: number, high: number]
}

export interface Tick {
  readonly at: number
  readonly text: string
}

const width = 720
const height = 260
const area = { left: 58, right: width - 14, top: 12, bottom: height - 34 }

export function layoutSeries(panel: Series): SeriesLayout {
  const all = panel.lines.flatMap(({ points }) => points)
  const marks = panel.marks ?? []
  const [xMin, xMax] = rangeOf(all.map(({ x }) => x))
  const heights = all.flatMap(({ y, low = y, high = y }) => [y, low, high])
  const [yMin, yMax] = padded(rangeOf([...heights, ...marks.map(({ y }) => y)]))
  const toX = (x: number): number =>
    round(area.left + ((x - xMin) / Math.max(xMax - xMin, tiny)) * (area.right - area.left))
  const toY = (y: number): number =>
    round(area.bottom - ((y - yMin) / Math.max(yMax - yMin, tiny)) * (area.bottom - area.top))
  const say = (y: number): string => formatValue(y, panel.isShare === true)
  const xTicks = ticksOf(xMin, xMax, panel.lines.every(areWhole))
  return {
    width,
    height,
    area,
    lines: panel.lines.map(({ name, points }) => ({
      name,
      path: points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${toX(x)} ${toY(y)}`).join(''),
      band: bandOf(points, toX, toY),
      points: points.map(({ x, y, low, high, text }) => ({
        x: toX(x),
        y: toY(y),
        text: `${name}, ${panel.x} ${x}: ${say(y)}${low === undefined || high === undefined ? '' : ` (${say(low)} to ${say(high)})`}${text === undefined ? '' : `. ${text}`}`,
        ...(low === undefined || high === undefined
          ? {}
          : { ends: [toY(low), toY(high)] as const }),
      })),
    })),
    marks: marks.map(({ name, y }) => ({ name, y: toY(y) })),
    xTicks: xTicks.map((x) => ({ at: toX(x), text: String(round(x)) })),
    yTicks: ticksOf(yMin, yMax, false).map((y) => ({ at: toY(y), text: say(y) })),
  }
}

export const formatValue = (value: number, isShare: boolean): string => {
  const shown = isShare ? value * 100 : value
  const digits = Math.abs(shown) >= 100 || Number.isInteger(shown) ? 0 : 1
  return `${shown.toLocaleString('en', { maximumFractionDigits: digits === 0 ? 0 : Math.abs(shown) < 1 ? 3 : 1 })}${isShare ? ' %' : ''}`
}

const tiny = 1e-9
const round = (value: number): number => Math.round(value * 100) / 100

const areWhole = ({ points }: Series['lines'][number]): boolean =>
  points.every(({ x }) => Number.isInteger(x))

function rangeOf(values: readonly number[]): readonly [number, number] {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return low > high ? [0, 1] : [low, high]
}

/** A little room above and below; equal values get a range around them. */
function padded([low, high]: readonly [number, number]): readonly [number, number] {
  const room = high === low ? Math.max(Math.abs(high) * 0.1, 0.01) : (high - low) * 0.06
  return [low - room, high + room]
}

const ticksWanted = 5

/** Round numbers inside of a range. */
function ticksOf(low: number, high: number, isWhole: boolean): readonly number[] {
  const rough = Math.max((high - low) / ticksWanted, tiny)
  const power = 10 ** Math.floor(Math.log10(rough))
  const found = [1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10
  const step = isWhole ? Math.max(1, Math.round(found * power)) : found * power
  const ticks: number[] = []
  for (let at = Math.ceil(low / step); at * step <= high + tiny && ticks.length < 20; at++) {
    ticks.push(at * step)
  }
  return ticks
}

function bandOf(
  points: Series['lines'][number]['points'],
  toX: (x: number) => number,
  toY: (y: number) => number,
): string {
  const known = points.flatMap(({ x, low, high }) =>
    low === undefined || high === undefined ? [] : [{ x: toX(x), low: toY(low), high: toY(high) }],
  )
  if (known.length < 2) return ''
  const top = known.map(({ x, high }, at) => `${at === 0 ? 'M' : 'L'}${x} ${high}`)
  const bottom = known.toReversed().map(({ x, low }) => `L${x} ${low}`)
  return `${[...top, ...bottom].join('')}Z`
}
