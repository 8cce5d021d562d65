/** Parts that several sections of a report have. */

import { type Html, html, nothing } from './html.ts'

export const section = (
  id: string,
  title: string,
  ...content: readonly (Html | undefined)[]
): Html => html`<section id="${id}"><h2>${title}</h2>${content}</section>`

export const leftOut = (count: number, what: string): Html =>
  count <= 0
    ? nothing
    : html`<p class="left-out">Not in this report: ${count.toLocaleString('en')} earlier ${what}.</p>`

export type Cell = Html | string | number

export const table = (columns: readonly string[], rows: readonly (readonly Cell[])[]): Html =>
  html`<div class="scroll"><table><thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.map(
    (cells) => html`<tr>${cells.map(cellOf)}</tr>`,
  )}</tbody></table></div>`

const cellOf = (cell: Cell): Html =>
  typeof cell === 'number' ? html`<td class="number">${cell}</td>` : html`<td>${cell}</td>`

export const tones = ['good', 'warn', 'bad', 'muted', 'plain'] as const
export type Tone = (typeof tones)[number]

export const toned = (tone: Tone, text: string): Html =>
  tone === 'plain' ? html`${text}` : html`<span class="${tone}">${text}</span>`

const words: Readonly<Record<string, readonly [Tone, string]>> = {
  met: ['good', 'Met'],
  'not-met': ['bad', 'Not met'],
  error: ['warn', 'Cannot run'],
  timeout: ['warn', 'Timed out'],
  skipped: ['muted', 'Skipped'],
  pending: ['muted', 'Not run on these files'],
}

export function checkStatus(status: string): Html {
  const [tone, word] = words[status] ?? (['muted', status] as const)
  return html`<strong class="${tone}">${word}</strong>`
}

export const block = (title: string, text: string): Html =>
  text === '' ? nothing : html`<h3>${title}</h3><pre>${text}</pre>`
