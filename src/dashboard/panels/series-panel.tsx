/** Lines over time, with the interval around each point. The values are also a table, for who cannot see the drawing. */

import type { ReactElement } from 'react'
import { layoutSeries, type Panel, type PanelTone } from '../../client/browser.ts'

type Series = Extract<Panel, { type: 'series' }>

const strokes: Readonly<Record<PanelTone, string>> = {
  plain: 'text-accent',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  muted: 'text-muted',
}
/** For lines without a tone. */
const order: readonly PanelTone[] = ['plain', 'good', 'warn', 'bad', 'muted']

export function SeriesPanel({ panel }: { readonly panel: Series }): ReactElement {
  const layout = layoutSeries(panel)
  const { width, height, area, lines, marks, xTicks, yTicks } = layout
  if (lines.every(({ points }) => points.length === 0)) {
    return <p className="text-muted">Nothing measured yet.</p>
  }
  const toneOf = (at: number): string =>
    strokes[panel.lines[at]?.tone ?? order[at % order.length] ?? 'plain']
  return (
    <figure className="grid gap-1">
      <svg
        role="img"
        aria-label={`${panel.title}: ${lines.flatMap(({ points }) => points.at(-1)?.text ?? []).join('; ')}`}
        viewBox={`0 0 ${width} ${height}`}
        className="block h-auto w-full max-w-3xl text-[11px]"
      >
        {yTicks.map(({ at, text }) => (
          <g key={at} className="text-muted">
            <line x1={area.left} x2={area.right} y1={at} y2={at} className="stroke-line" />
            <text x={area.left - 6} y={at + 4} textAnchor="end" fill="currentColor">
              {text}
            </text>
          </g>
        ))}
        {xTicks.map(({ at, text }) => (
          <text
            key={at}
            x={at}
            y={area.bottom + 16}
            textAnchor="middle"
            fill="currentColor"
            className="text-muted"
          >
            {text}
          </text>
        ))}
        <text
          x={area.right}
          y={height - 4}
          textAnchor="end"
          fill="currentColor"
          className="text-muted"
        >
          {panel.x}
        </text>
        {marks.map(({ name, y }) => (
          <g key={name} className="text-muted">
            <line
              x1={area.left}
              x2={area.right}
              y1={y}
              y2={y}
              stroke="currentColor"
              strokeDasharray="4 4"
            />
            <text x={area.right} y={y - 4} textAnchor="end" fill="currentColor">
              {name}
            </text>
          </g>
        ))}
        {lines.map(({ name, path, band, points }, at) => (
          <g key={name} className={toneOf(at)}>
            {band === '' ? null : <path d={band} fill="currentColor" opacity={0.14} />}
            <path d={path} fill="none" stroke="currentColor" strokeWidth={2} />
            {points.map(({ x, y, text, ends }) => (
              <g key={`${x} ${y}`}>
                {ends === undefined ? null : (
                  <line x1={x} x2={x} y1={ends[0]} y2={ends[1]} stroke="currentColor" />
                )}
                <circle cx={x} cy={y} r={3.5} fill="currentColor">
                  <title>{text}</title>
                </circle>
              </g>
            ))}
          </g>
        ))}
      </svg>
      <figcaption className="flex flex-wrap gap-x-4 text-xs">
        {lines.map(({ name }, at) => (
          <span key={name} className={`inline-flex items-center gap-1.5 ${toneOf(at)}`}>
            <span className="inline-block h-0.5 w-4 bg-current" aria-hidden />
            {name}
          </span>
        ))}
        <span className="text-muted">{panel.y}</span>
      </figcaption>
      <details className="text-xs">
        <summary className="text-muted">The values</summary>
        <ul>
          {lines
            .flatMap(({ points }) => points)
            .map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
        </ul>
      </details>
    </figure>
  )
}
