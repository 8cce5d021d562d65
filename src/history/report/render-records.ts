/** The records of a run: evidence, changes, policy, actions, ledger. */

import { plural } from '../../loop/excerpt/plural.ts'
import { money, span, utc } from './describe-facts.ts'
import { type Html, html, nothing } from './html.ts'
import type { RunReport } from './read-report.ts'
import { checkStatus, leftOut, section, table, toned } from './render-parts.ts'

export function renderEvidence({ evidence }: RunReport): Html {
  const { items } = evidence
  if (items.length === 0) return section('evidence', 'Evidence', html`<p>No check has run.</p>`)
  const entries = items
    .toReversed()
    .map(({ evidence: one, isCurrent, output = '', exitCode, durationMs, atMs }) => {
      const marks = [
        `iteration ${one.iteration}`,
        ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
        ...(durationMs === undefined ? [] : [span(durationMs)]),
        ...(one.allowed === true ? ['allowed: it failed before the run'] : []),
        ...(one.reused === true ? ['reused: nothing changed'] : []),
        ...(isCurrent ? [] : ['of earlier files']),
        utc(atMs),
      ]
      return html`<details><summary>${checkStatus(one.status)}<code>${one.check}</code>${one.flaky === true ? html`<span class="warn">flaky: two results on the same files</span>` : nothing}<span class="muted small">${marks.join(', ')}</span></summary>${one.tree === undefined ? nothing : html`<p class="muted small">Files <code>${one.tree}</code></p>`}${output === '' ? html`<p class="muted">It printed nothing.</p>` : html`<pre>${output}</pre>`}</details>`
    })
  return section('evidence', 'Evidence', html`${entries}`, leftOut(evidence.leftOut, 'results'))
}

const filesMax = 200
const openLinesMax = 400

export function renderChanges({ diff }: RunReport): Html {
  if (typeof diff === 'string') return section('changes', 'Changes', html`<p>${diff}</p>`)
  const { files, patch = '' } = diff
  if (files.length === 0) return section('changes', 'Changes', html`<p>No file differs.</p>`)
  const added = files.reduce((sum, one) => sum + (one.added ?? 0), 0)
  const removed = files.reduce((sum, one) => sum + (one.removed ?? 0), 0)
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => part.trim() !== '')
  let lines = 0
  const shown = parts.slice(0, filesMax).map((part) => {
    lines += part.split('\n').length
    return renderFile(part, lines <= openLinesMax)
  })
  const missing = files.length - shown.length
  return section(
    'changes',
    'Changes',
    html`<p>${plural(files.length, 'file')}, <span class="good">+${added}</span> <span class="bad">-${removed}</span>. From <code>${diff.before.slice(0, 16)}</code> to <code>${diff.after.slice(0, 16)}</code>.</p>${shown}${missing > 0 ? html`<p class="left-out">Not in this report: ${plural(missing, 'file')}, because the changes are large.</p>` : nothing}`,
  )
}

function renderFile(part: string, isOpen: boolean): Html {
  const [first = '', ...rest] = part.trimEnd().split('\n')
  const name = / b\/(.*)$/.exec(first)?.[1] ?? first
  const start = rest.findIndex((line) => line.startsWith('@@'))
  // Below the head, a line that looks like one is part of the file.
  const body = rest.filter(
    (line, at) => (start !== -1 && at >= start) || !/^(?:index |--- |\+\+\+ )/.test(line),
  )
  return html`<details${isOpen ? html` open` : nothing}><summary><code>${name}</code></summary><pre class="diff">${body.map((line) => html`<span class="${lookOf(line)}">${line}</span>`)}</pre></details>`
}

const lookOf = (line: string): string =>
  line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : line.startsWith('@@') ? 'hunk' : ''

export function renderPolicy({ policy }: RunReport): Html {
  if (policy.items.length === 0) {
    return section('policy', 'Policy', html`<p>No policy decided anything in this run.</p>`)
  }
  const rows = policy.items.toReversed().map((one) => [
    utc(one.atMs),
    one.decision === 'allow'
      ? toned('good', 'Allowed')
      : toned('bad', one.isMonitored === true ? 'Would be denied' : 'Denied'),
    `${one.action} ${one.resource ?? one.iteration}`,
    one.rules.join(', '),
    one.reason ?? '',
    Object.entries(one.context ?? {})
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', '),
  ])
  return section(
    'policy',
    'Policy',
    table(['When', 'Answer', 'What', 'Rules', 'Why', 'Numbers'], rows),
    leftOut(policy.leftOut, 'answers'),
  )
}

export function renderActions({ actions }: RunReport): Html {
  if (actions.length === 0) return nothing
  return section(
    'actions',
    'Actions',
    table(
      ['When', 'Kind', 'What', 'Status', 'Why'],
      actions
        .slice(-200)
        .map(({ atMs, kind, summary, status, reason = '' }) => [
          utc(atMs),
          kind,
          summary.slice(0, 500),
          status,
          reason.slice(0, 500),
        ]),
    ),
  )
}

export function renderLedger({ ledger }: RunReport): Html {
  if (ledger.items.length === 0)
    return section('ledger', 'Ledger', html`<p>It has spent nothing.</p>`)
  const rows = ledger.items
    .toReversed()
    .map((one) => [
      utc(one.atMs),
      one.type,
      one.iteration ?? '',
      one.step ?? '',
      one.role ?? '',
      one.amount.tokens,
      money(one.amount.costMicros),
    ])
  return section(
    'ledger',
    'Ledger',
    table(['When', 'Entry', 'Iteration', 'Step', 'Agent', 'Tokens', 'Cost'], rows),
    leftOut(ledger.leftOut, 'entries'),
  )
}
