/** The panels of a loop type in a report. */

import type { Panel, PanelCell } from '../../protocol/api/index.ts'
import { diffLines, withoutDistant } from '../../protocol/panel/diff-lines.ts'
import { layoutSeries } from '../../protocol/panel/layout-series.ts'
import { type Html, html, nothing } from './html.ts'
import type { RunReport } from './read-report.ts'
import { type Cell, section, table, toned } from './render-parts.ts'

export function renderPanels({ panels }: RunReport): Html {
  const { name, items, problems } = panels
  if (items.length + problems.length === 0) return nothing
  return section(
    'panels',
    name,
    html`${problems.map((problem) => html`<p class="warn">${problem}</p>`)}`,
    html`${items.map(renderPanel)}`,
  )
}

const renderPanel = (panel: Panel): Html => html`<h3>${panel.title}</h3>
${panel.text === undefined ? nothing : html`<p class="muted">${panel.text}</p>`}
${bodyOf(panel)}
${panel.leftOut === undefined ? nothing : html`<p class="left-out">Not shown: ${panel.leftOut}</p>`}`

function bodyOf(panel: Panel): Html {
  switch (panel.type) {
    case 'table':
      return panel.board === undefined
        ? table(
            panel.columns,
            panel.rows.map((cells) => cells.map(toCell)),
          )
        : renderBoard(panel, panel.board)
    case 'series':
      return renderSeries(panel)
    case 'diff':
      return html`${panel.changes.map(renderChange)}`
    case 'matrix':
      return renderMatrix(panel)
    case 'text':
      return html`<pre>${panel.body}</pre>`
  }
}

function toCell(cell: PanelCell): Cell {
  if (typeof cell !== 'object') return cell
  const { text, tone = 'plain', hint } = cell
  return html`${toned(tone, text)}${hint === undefined || hint === text ? nothing : html`<details><summary class="muted small">Details</summary><pre>${hint}</pre></details>`}`
}

type TablePanel = Extract<Panel, { type: 'table' }>

const textOf = (cell: PanelCell): string => (typeof cell === 'object' ? cell.text : String(cell))

function renderBoard(
  { columns, rows }: TablePanel,
  { column, lanes: named }: NonNullable<TablePanel['board']>,
): Html {
  const laneOf = (cells: readonly PanelCell[]): string => textOf(cells[column] ?? '')
  const lanes = [...new Set([...named, ...rows.map(laneOf)])]
  return html`<div class="board">${lanes.map((lane) => {
    const cards = rows.filter((cells) => laneOf(cells) === lane)
    return html`<div class="lane"><strong>${lane}</strong> <span class="muted">${cards.length}</span>${cards.map(
      (cells) =>
        html`<div class="card">${cells.map((cell, at) => {
          if (at === column || textOf(cell) === '') return nothing
          const isTitle = at === (column === 0 ? 1 : 0)
          return isTitle
            ? html`<p><strong>${toCell(cell)}</strong></p>`
            : html`<div class="small"><span class="muted">${columns[at]}</span> ${toCell(cell)}</div>`
        })}</div>`,
    )}</div>`
  })}</div>`
}

const signs = { same: ' ', added: '+', removed: '-' } as const
const looks = { same: '', added: 'add', removed: 'del' } as const

const renderChange = ({
  path,
  before,
  after,
}: Extract<Panel, { type: 'diff' }>['changes'][number]): Html =>
  html`<p><code>${path}</code></p><pre class="diff">${withoutDistant(diffLines(before, after)).map(
    (line) =>
      line.type === 'gap'
        ? html`<span class="hunk">${line.lines} equal lines</span>`
        : html`<span class="${looks[line.type]}">${signs[line.type]} ${line.text}</span>`,
  )}</pre>`

function renderMatrix({ row, columns, rows }: Extract<Panel, { type: 'matrix' }>): Html {
  const arrows = { better: ' ▲', worse: ' ▼' } as const
  return html`<p class="muted small">▲ turned better, ▼ turned worse.</p><div class="scroll"><table class="matrix"><thead><tr><th scope="col">${row}</th>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.map(
    ({ name, cells }) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell) =>
        cell === null
          ? html`<td class="muted">·</td>`
          : html`<td class="${cell.tone}">${cell.text}${cell.flip === undefined ? '' : arrows[cell.flip]}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`
}

const usual = ['plain', 'good', 'warn', 'bad', 'muted'] as const

function renderSeries(panel: Extract<Panel, { type: 'series' }>): Html {
  const { width, height, area, lines, marks, xTicks, yTicks } = layoutSeries(panel)
  if (lines.every(({ points }) => points.length === 0)) {
    return html`<p class="muted">Nothing measured yet.</p>`
  }
  const toneOf = (at: number): string =>
    panel.lines[at]?.tone ?? usual[at % usual.length] ?? 'plain'
  const grid = yTicks.map(
    ({ at, text }) =>
      html`<line class="grid" x1="${area.left}" x2="${area.right}" y1="${at}" y2="${at}"/><text x="${area.left - 6}" y="${at + 4}" text-anchor="end">${text}</text>`,
  )
  const steps = xTicks.map(
    ({ at, text }) =>
      html`<text x="${at}" y="${area.bottom + 16}" text-anchor="middle">${text}</text>`,
  )
  const compared = marks.map(
    ({ name, y }) =>
      html`<line class="mark" x1="${area.left}" x2="${area.right}" y1="${y}" y2="${y}"/><text x="${area.right}" y="${y - 4}" text-anchor="end">${name}</text>`,
  )
  const drawn = lines.map(
    ({ path, band, points }, at) =>
      html`<g class="${toneOf(at)}">${band === '' ? nothing : html`<path class="band" d="${band}"/>`}<path class="series" d="${path}"/>${points.map(
        ({ x, y, text, ends }) =>
          html`${ends === undefined ? nothing : html`<line class="series" x1="${x}" x2="${x}" y1="${ends[0]}" y2="${ends[1]}"/>`}<circle class="dot" cx="${x}" cy="${y}" r="3.5"><title>${text}</title></circle>`,
      )}</g>`,
  )
  const last = lines.flatMap(({ points }) => points.at(-1)?.text ?? [])
  return html`<figure><svg role="img" aria-label="${last.join('; ')}" viewBox="0 0 ${width} ${height}">${grid}${steps}${compared}${drawn}<text x="${area.right}" y="${height - 4}" text-anchor="end">${panel.x}</text></svg><figcaption class="small">${lines.map(
    ({ name }, at) => html`<span class="${toneOf(at)}">${name} </span>`,
  )}<span class="muted">${panel.y}</span></figcaption></figure>`
}
