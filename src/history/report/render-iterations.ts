/** The iterations of a run: what each was asked, did, cost and changed. What turned worse is marked (E12). */

import { plural } from '../../loop/excerpt/plural.ts'
import type { IterationSummary, Step } from '../../protocol/api/index.ts'
import { money, span, utc } from './describe-facts.ts'
import { type Html, html, nothing } from './html.ts'
import type { RunReport } from './read-report.ts'
import { block, checkStatus, leftOut, section } from './render-parts.ts'

export function renderIterations({ iterations, steps }: RunReport): Html {
  const { items } = iterations
  if (items.length === 0) return section('iterations', 'Iterations', html`<p>None has started.</p>`)
  const cards = items.map((one, at) =>
    renderIteration(
      one,
      items[at - 1],
      steps.items.filter(({ iteration }) => iteration === one.iteration),
    ),
  )
  return section(
    'iterations',
    'Iterations',
    html`${cards.toReversed()}`,
    leftOut(iterations.leftOut, 'iterations'),
    leftOut(steps.leftOut, 'steps'),
  )
}

const enteredOften = 3

const endingWords = {
  open: 'open',
  complete: 'complete',
  continue: 'continued',
  'rate-limited': 'rate limited',
  interrupted: 'interrupted',
  error: 'error',
} as const

function renderIteration(
  one: IterationSummary,
  before: IterationSummary | undefined,
  steps: readonly Step[],
): Html {
  const { checks, spent, ending, prompt = '', report = '', changed = [] } = one
  const met = checks.filter(({ status }) => status === 'met').length
  const worse = findWorse(one, before)
  const took = one.endedAtMs === undefined ? '' : `, ${span(one.endedAtMs - one.startedAtMs)}`
  return html`<details${worse.length > 0 || ending?.type === 'error' ? html` open` : nothing}><summary><strong>Iteration ${one.iteration}</strong>
<span>${one.undone ? 'undone' : endingWords[ending?.type ?? 'open']}</span>
<span class="muted">${checks.length === 0 ? '' : `${met} of ${plural(checks.length, 'check')} met, `}${money(spent.costMicros)}${took}</span>
${worse.length === 0 ? nothing : html`<strong class="bad">Worse: ${worse.join(', ')}</strong>`}
${one.entered > enteredOften ? html`<strong class="warn">Started ${one.entered} times without a checkpoint</strong>` : nothing}</summary>
<p class="muted small">Started ${utc(one.startedAtMs)}</p>
${renderEnding(one)}
<p>${checks.map(({ check, status }) => html`<span>${checkStatus(status)} <code>${check}</code> </span>`)}</p>
${renderTimeline(steps)}
${block('What the agent reported (a claim)', report)}
${block('The prompt', prompt)}
${changed.length === 0 ? nothing : html`<p class="muted">Changed: ${changed.join(', ')}</p>`}
</details>`
}

const findWorse = (
  one: IterationSummary,
  before: IterationSummary | undefined,
): readonly string[] =>
  one.checks.flatMap(({ check, status }) => {
    const earlier = before?.checks.find((other) => other.check === check)
    return earlier?.status === 'met' && status !== 'met' ? [check] : []
  })

function renderEnding({ ending }: IterationSummary): Html {
  switch (ending?.type) {
    case 'complete':
      return html`<p>Met: ${ending.met.condition}</p>`
    case 'error':
      return html`<p class="bad">${ending.fault.code}: ${ending.fault.message.slice(0, 2000)}</p>`
    case 'interrupted':
      return html`<p class="warn">Interrupted: ${ending.reason}</p>`
    case 'rate-limited':
      return html`<p class="muted">${ending.message.slice(0, 1000)}</p>`
    case 'continue':
    case undefined:
      return nothing
  }
}

const rowHeight = 18
const nameWidth = 190
const barWidth = 500
const shownMax = 60

/** What ran when. Waits for people do not stretch it. */
function renderTimeline(all: readonly Step[]): Html {
  const steps = all.slice(-shownMax)
  const [first] = steps
  if (first === undefined) return nothing
  const endOf = ({ endedAtMs, startedAtMs, kind }: Step): number =>
    kind === 'ask' || kind === 'sleep' ? startedAtMs : (endedAtMs ?? startedAtMs)
  const start = Math.min(...steps.map(({ startedAtMs }) => startedAtMs))
  const whole = Math.max(1, Math.max(...steps.map(endOf)) - start)
  const height = steps.length * rowHeight + 4
  const rows = steps.map((step, at) => {
    const y = at * rowHeight + 4
    const x = nameWidth + ((Math.min(step.startedAtMs, start + whole) - start) / whole) * barWidth
    const width = Math.max(2, ((endOf(step) - step.startedAtMs) / whole) * barWidth)
    const took = step.endedAtMs === undefined ? step.state : span(step.endedAtMs - step.startedAtMs)
    return html`<text x="0" y="${y + 10}">${`${step.kind} ${step.name}`.slice(0, 30)}</text><rect class="track" x="${nameWidth}" y="${y}" width="${barWidth}" height="12" rx="2"/><rect class="${lookOf(step)}" x="${Math.min(x, nameWidth + barWidth - 2)}" y="${y}" width="${Math.min(width, barWidth)}" height="12" rx="2"><title>${step.step}: ${took}</title></rect><text x="${nameWidth + barWidth + 8}" y="${y + 10}">${took}${step.spent.costMicros > 0 ? `, ${money(step.spent.costMicros)}` : ''}</text>`
  })
  return html`<div class="scroll"><svg role="img" aria-label="${plural(steps.length, 'step')} over time" viewBox="0 0 ${nameWidth + barWidth + 130} ${height}">${rows}</svg></div>${all.length > shownMax ? html`<p class="left-out">Not in this report: ${all.length - shownMax} earlier steps of this iteration.</p>` : nothing}`
}

function lookOf({ kind, state, evidence }: Step): string {
  if (state === 'failed' || evidence?.status === 'not-met') return 'failed'
  if (kind === 'agent') return 'agent'
  return kind === 'check' || kind === 'certify' ? 'check' : 'other'
}
