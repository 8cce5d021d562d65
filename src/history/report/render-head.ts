/** The head of a report: what the run is, how it ended, what it cost, and what its certificate says. */

import { plural } from '../../loop/excerpt/plural.ts'
import { describeOutcome, isEnd } from '../../loop/index.ts'
import { type Certificate, describeLevel, describeStrength } from '../../protocol/index.ts'
import { money, rate, span, utc } from './describe-facts.ts'
import { type Html, html, nothing } from './html.ts'
import type { RunReport } from './read-report.ts'
import { checkStatus, section, type Tone, table } from './render-parts.ts'

export function renderHead({ inspection, atMs, spentByRole }: RunReport): Html {
  const { run, state, why, questions, review, merging } = {
    merging: inspection.run.merging,
    ...inspection,
  }
  const { outcome } = state
  const tone: Tone = outcome === undefined ? 'warn' : outcome.type === 'completed' ? 'good' : 'bad'
  const explained = outcome === undefined ? (why ?? '') : describeOutcome(outcome)
  const roles = Object.entries(spentByRole).map(
    ([role, amount]) => `${role} ${money(amount.costMicros)}`,
  )
  const { limits, spent } = state
  return html`<header><p class="muted small">Run of ${run.loop}. Report of ${utc(atMs)}.${isEnd(run.status) ? '' : ' It has not ended: this is how it was then.'}</p>
<h1>${run.name} <span class="badge ${tone}">${run.status}</span></h1>
<p>${explained}</p>
${questions.map(({ question }) => html`<p class="badge warn">Waits for a person: ${question.text.slice(0, 500)}</p>`)}
<dl class="facts">
${fact('Iterations', `${state.iteration} of ${limits.iterations}`)}
${fact('Cost', `${money(spent.costMicros)} of ${money(limits.costMicros)}`, roles.join(', '))}
${fact('Tokens', `${spent.tokens.toLocaleString('en')} of ${limits.tokens.toLocaleString('en')}`)}
${fact('Active time', span(state.activeMs), `created ${utc(run.createdAtMs)}`)}
${fact('Work', review?.status ?? 'not reviewed', merging === undefined ? '' : `number ${merging.position} to be merged into ${merging.target}`)}
${state.worktree === undefined ? nothing : fact('Branch', state.worktree.branch)}
${state.agent === undefined ? nothing : fact('Agent', `${state.agent.name} ${state.agent.version ?? ''}`)}
${state.sandbox === undefined ? nothing : fact('Sandbox', state.sandbox.tier)}
</dl></header>`
}

const fact = (name: string, value: string, more = ''): Html =>
  html`<div><dt>${name}</dt><dd>${value}${more === '' ? nothing : html`<br><span class="muted small">${more}</span>`}</dd></div>`

export function renderCertificate({ inspection, certificate: listed }: RunReport): Html {
  const { state } = inspection
  if (listed === undefined) {
    return section(
      'certificate',
      'Certificate',
      html`<p>${state.certificate === undefined ? 'None: nothing certifies the work of this run.' : 'The file of its certificate is missing.'}</p>`,
    )
  }
  const { id, certificate } = listed
  const isCurrent = state.certificate?.id === id && state.certificate.tree === state.tree
  return section(
    'certificate',
    'Certificate',
    html`<p><strong>${describeLevel(certificate) ?? 'The checks pass on these files.'}</strong></p>
${isCurrent ? nothing : html`<p class="warn">It is about earlier files of this run.</p>`}
<ul>${describeStrength(certificate)
      .slice(0, 200)
      .map((text) => html`<li>${text}</li>`)}</ul>`,
    renderChecks(certificate),
    html`${certificate.approvals.slice(0, 50).map(({ by, at, codes }) => html`<p>Approved by ${by}, ${at}: ${codes.join(', ')}</p>`)}
<p class="muted small">Issued ${certificate.issuedAt}. Certificate <code>${id}</code>, of files <code>${certificate.tree ?? 'none'}</code>. It is void once the files change. To check it: <code>loopctl verify ${id.slice(0, 16)}</code></p>`,
  )
}

const checksMax = 200

function renderChecks({ checks }: Certificate): Html {
  const rows = checks.slice(0, checksMax).map((check) => [
    html`<code>${check.name}</code>${check.pass === 'sealed' ? html` <span class="muted small">with the sealed files of the base</span>` : nothing}`,
    checkStatus(check.status),
    [
      check.command.join(' ').slice(0, 300),
      ...(check.exitCode === undefined ? [] : [`exit code ${check.exitCode}`]),
    ].join('; '),
    check.counts === undefined
      ? ''
      : Object.entries(check.counts)
          .map(([name, value]) => `${value} ${name}`)
          .join(', '),
    check.reads === undefined ? '' : plural(check.reads.count, 'file'),
    check.calibration === undefined
      ? 'not measured'
      : `accepts wrong work: ${rate(check.calibration.falseAccepts)}; rejects good work: ${rate(check.calibration.falseRejects)}`,
    check.flaky === undefined ? '' : check.flaky.join(', '),
  ])
  return table(['Check', 'Result', 'Command', 'Tests', 'Read', 'Error rates', 'Flaky'], rows)
}
