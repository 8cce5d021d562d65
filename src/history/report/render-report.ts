/**
 * A report of a run as one HTML file: no script, nothing loaded, nothing sent. The policy in it allows its own style and nothing else,
 * so a mistake in a section could not run anything either.
 */

import { createHash } from 'node:crypto'
import { type Html, html } from './html.ts'
import type { RunReport } from './read-report.ts'
import { renderCertificate, renderHead } from './render-head.ts'
import { renderIterations } from './render-iterations.ts'
import { renderPanels } from './render-panels.ts'
import { section } from './render-parts.ts'
import {
  renderActions,
  renderChanges,
  renderEvidence,
  renderLedger,
  renderPolicy,
} from './render-records.ts'
import { reportStyle } from './report-style.ts'

/** Of all sections together. */
const charsMax = 8_000_000

type Section = readonly [id: string, name: string, render: (report: RunReport) => Html]

const sections: readonly Section[] = [
  ['certificate', 'Certificate', renderCertificate],
  ['panels', 'Results', renderPanels],
  ['iterations', 'Iterations', renderIterations],
  ['changes', 'Changes', renderChanges],
  ['evidence', 'Evidence', renderEvidence],
  ['policy', 'Policy', renderPolicy],
  ['actions', 'Actions', renderActions],
  ['ledger', 'Ledger', renderLedger],
]

export const reportPolicy: string = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(reportStyle).digest('base64')}'; base-uri 'none'; form-action 'none'`

export function renderReport(report: RunReport): string {
  const { run } = report.inspection
  const made = sections
    .map(([id, name, render]) => ({
      id,
      name: id === 'panels' ? report.panels.name : name,
      content: render(report),
    }))
    .filter(({ content }) => content.html !== '')
  const fitting = fit(made)
  // The style is text of this program, and the only one that is not escaped.
  const style: Html = { html: `<style>${reportStyle}</style>` }
  const { html: text } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${reportPolicy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark"><title>${run.name}: ${run.status}</title>${style}</head>
<body>${renderHead(report)}
<nav aria-label="Parts">${fitting.map(({ id, name }) => html`<a href="#${id}">${name}</a>`)}</nav>
<main>${fitting.map(({ content }) => content)}</main>
<footer class="muted small">Made by Loopwright from the journal of the run. Secrets that are known to it are masked. Nothing in this file runs or loads anything.</footer>
</body></html>
`
  return text
}

interface Made {
  readonly id: string
  readonly name: string
  readonly content: Html
}

/** The largest sections give way until the rest fits; what is missing is said. */
function fit(made: readonly Made[]): readonly Made[] {
  let shown = made
  while (shown.reduce((sum, { content }) => sum + content.html.length, 0) > charsMax) {
    const [largest] = shown.toSorted(
      (one, other) => other.content.html.length - one.content.html.length,
    )
    if (largest === undefined) break
    const { id, name } = largest
    const content = section(
      id,
      name,
      html`<p class="left-out">Not in this report, because it is too large.</p>`,
    )
    shown = shown.map((one) => (one === largest ? { id, name, content } : one))
  }
  return shown
}
