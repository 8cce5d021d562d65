/** Runs as text for a terminal: a list, and one run in detail. */

import { basename } from 'node:path'
import {
  type Attention,
  describeAgent,
  describeOutcome,
  describeSandboxSummary,
  describeTodo,
  inOneLine,
  listRunChecks,
  type OpenGuidance,
  type OpenQuestion,
  parseStepId,
  questionName,
  type RunCheck,
  type RunWorktree,
  summarizeTodo,
} from '../../loop/index.ts'
import type { Run, RunDetail } from '../../protocol/api/index.ts'
import { renderRoundReport, roundOutcomeLabel } from '../../protocol/round/render-round-report.ts'
import type { Inspected } from '../connection/runs.ts'
import type { Terminal } from '../terminal.ts'
import { plural, renderCount, renderMoney, renderSpan, renderSplit } from './amounts.ts'
import { shortId } from './certification-lines.ts'
import { describeEntry } from './queue-view.ts'
import {
  describeBase,
  describeCarried,
  renderTable,
  renderTime,
  shownStatus,
  visible,
  visibleText,
} from './render.ts'
import { wrapped } from './wrap.ts'

const columns = ['NAME', 'STATUS', 'ITER', 'LOOP', 'REPOSITORY', 'BRANCH', 'UPDATED', 'ID']
/** Columns to drop on a narrow terminal, in this order. */
const lessNeeded = ['ID', 'LOOP', 'ITER', 'UPDATED', 'REPOSITORY', 'BRANCH']

export function renderList(
  runs: readonly Run[],
  nowMs: number,
  { live, width }: Pick<Terminal, 'live' | 'width'>,
  /** The list is filtered. */
  isPart = false,
): string {
  if (runs.length === 0) return isPart ? 'No run matches. List all: loopctl list' : 'No runs yet.'
  const hasAttention = runs.some(({ attention }) => attention !== undefined)
  const listHead = [...columns, ...(hasAttention ? ['QUESTIONS'] : [])]
  const rows = runs.map((run) => [
    run.name,
    shownStatus(run),
    String(run.iteration),
    run.loop,
    basename(run.repository ?? run.workspace ?? '') || '-',
    run.branch ?? '-',
    renderAge(nowMs - run.updatedAtMs),
    run.id.slice(0, 13),
    ...(hasAttention ? [renderAttention(run.attention)] : []),
  ])
  const room = live ? width() : Number.POSITIVE_INFINITY
  for (let left = 0; ; left++) {
    const out = lessNeeded.slice(0, left)
    const table = renderTable(
      [listHead, ...rows].map((row) =>
        row.filter((_cell, column) => !out.includes(listHead[column] ?? '')),
      ),
    )
    const fits = table.split('\n').every((line) => line.length <= room)
    if (fits || left === lessNeeded.length) return table
  }
}

const describeMerging = ({ target, position }: NonNullable<Run['merging']>): string =>
  position === 1 ? `being merged into ${target}` : `number ${position} in the queue for ${target}`

/** For example `2, 5 min waited`. */
const renderAttention = (attention: Run['attention']): string =>
  attention === undefined || attention.questions === 0
    ? '-'
    : `${attention.questions}, ${renderSpan(attention.waitedMs)} waited`

function renderAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`
  return seconds < 86_400
    ? `${Math.round(seconds / 3600)} h ago`
    : `${Math.round(seconds / 86_400)} d ago`
}

export function renderInspection(
  { run, state, why, questions, checkpoints, checks, review, queue, round }: Inspected,
  { live, width }: Pick<Terminal, 'live' | 'width'>,
): string {
  const { limits, spent, metrics } = state
  const carried = state.worktree === undefined ? undefined : describeCarried(state.worktree)
  const under = state.open === undefined ? '' : `, ${state.open.iteration} in progress`
  const lines = [
    ['run', `${run.name}  ${run.id}`],
    ['loop', run.loop],
    ...(state.source === undefined ? [] : [['file', `${state.source.file}${changesOf(state)}`]]),
    ...(run.spec === undefined ? [] : [['spec', run.spec]]),
    ...(run.plan === undefined || run.plan === run.spec ? [] : [['plan', run.plan]]),
    ...(state.origin === undefined ? [] : [['from', describeOrigin(state.origin)]]),
    ['status', describeStatus(run, state, why)],
    ...(review === undefined ? [] : [['work', describeReview(review)]]),
    ...(queue === undefined ? [] : [['queue', describeEntry(queue)]]),
    ...(run.merging === undefined ? [] : [['merge', describeMerging(run.merging)]]),
    ...(state.agent === undefined ? [] : [['agent', describeAgent(state.agent)]]),
    ...(state.sandbox === undefined ? [] : [['sandbox', describeSandboxSummary(state.sandbox)]]),
    ...(round === undefined ? [] : [['round', roundOutcomeLabel(round.outcome)]]),
    ['iterations', `${state.iteration} of ${limits.iterations}${under}`],
    ['steps', `${metrics.steps} done, ${metrics.stepsFailed} failed, ${metrics.retries} retries`],
    ...Object.entries(metrics.tools).map(([tool, use]) => [
      `tool ${tool}`,
      `${plural(use.calls, 'call')}, ${use.failed} failed, ${renderSpan(use.ms)}`,
    ]),
    [
      'tokens',
      `${renderCount(spent.tokens)} of ${renderCount(limits.tokens)}${renderSplit(spent)}`,
    ],
    ['cost', `${renderMoney(spent.costMicros)} of ${renderMoney(limits.costMicros)}`],
    ['time', `${renderSpan(state.activeMs)} of ${renderSpan(limits.timeMs)}`],
    ...describeAttention(state.attention),
    ['checkpoints', checkpoints.map((checkpoint) => checkpoint.iteration).join(' ') || 'none'],
    ...(run.workspace === undefined ? [] : [['workspace', run.workspace]]),
    ...(state.worktree === undefined ? [] : [['branch', describeBranch(state.worktree)]]),
    ...(carried === undefined ? [] : [['carried over', carried]]),
    ...(state.tree === undefined ? [] : [['tree', state.tree]]),
    ...(checks ?? listRunChecks(state, state.tree)).map((one) => [
      `check ${one.check}`,
      describeRunCheck(one),
    ]),
    ...describeAgentTodo(state.todo),
    ...(state.guidance ?? []).map((told) => ['guidance', describeTold(told)]),
    ...(state.certificate === undefined
      ? []
      : [
          [
            'certificate',
            `${state.certificate.id}  (loopctl verify ${shortId(state.certificate.id)})`,
          ],
        ]),
  ]
  const room = live ? width() : Number.POSITIVE_INFINITY
  const report = round === undefined ? [] : ['', visibleText(renderRoundReport(round)).trimEnd()]
  return [
    renderFields(lines, room),
    ...report,
    ...questions.map((asked) => renderQuestion(run, asked)),
  ].join('\n')
}

/** The summary, then a line for each item. */
function describeAgentTodo(todo: RunDetail['state']['todo']): readonly (readonly string[])[] {
  if (todo === undefined) return []
  const { name } = parseStepId(todo.step)
  return [
    ['todo list', `${name}, iteration ${todo.iteration}: ${summarizeTodo(todo)}`],
    ...describeTodo(todo).map((line) => ['', line]),
  ]
}

/** Absent from an older daemon. */
const describeAttention = (attention: Attention | undefined): readonly (readonly string[])[] =>
  attention === undefined || attention.questions === 0
    ? []
    : [
        [
          'attention',
          `${plural(attention.questions, 'question')}, ${renderSpan(attention.waitedMs)} waited`,
        ],
      ]

/** `"Keep the old name." (ada; waits)` */
function describeTold({ text, by, at, delivered }: OpenGuidance): string {
  const where =
    delivered === undefined
      ? 'waits'
      : `reached ${delivered.step ?? `iteration ${delivered.iteration}`}`
  const about = at === undefined ? '' : `about ${at.file}:${at.line}; `
  return `"${inOneLine(text)}" (${by}; ${about}${where})`
}

/** `pending (not-met in iteration 1, before the files changed; failed before the run began)` */
function describeRunCheck({ status, last, base }: RunCheck): string {
  const remarks = [
    ...(last === undefined ? [] : [lastRun(status, last)]),
    ...(base === 'fails' ? ['failed before the run began'] : []),
  ]
  return remarks.length === 0 ? status : `${status} (${remarks.join('; ')})`
}

const lastRun = (status: RunCheck['status'], last: NonNullable<RunCheck['last']>): string =>
  status === 'pending'
    ? `${last.status} in iteration ${last.iteration}, before the files changed`
    : `iteration ${last.iteration}`

function changesOf({ source }: RunDetail['state']): string {
  const { model, prompt } = source?.changes ?? {}
  const changes = [
    ...(model === undefined ? [] : [`the model ${model}`]),
    ...(prompt === undefined ? [] : ['another prompt']),
  ]
  return changes.length === 0 ? '' : `, with ${changes.join(' and ')}`
}

function describeOrigin(origin: NonNullable<RunDetail['state']['origin']>): string {
  switch (origin.type) {
    case 'checkpoint':
      return `checkpoint ${origin.checkpoint}, after iteration ${origin.iteration}`
    case 'fork':
      return `a fork of ${origin.run} after iteration ${origin.iteration}`
    case 'replay':
      return `a replay of ${origin.run}`
  }
}

function describeStatus(run: Run, state: RunDetail['state'], why: string | undefined): string {
  if (state.outcome !== undefined) return describeOutcome(state.outcome)
  if (run.interrupted) return 'interrupted: its process ended; resume it to continue'
  return why === undefined ? state.status : `${state.status}: ${why}`
}

function describeReview({ status, by, url, branch }: NonNullable<RunDetail['review']>): string {
  const words = { merged: `merged into ${branch}`, 'pr-created': `pull request ${url}` }
  const what = status === 'merged' || status === 'pr-created' ? words[status] : status
  return `${what}${by === undefined ? '' : ` by ${by}`}`
}

function renderQuestion(run: Run, { id, question, deadlineAtMs }: OpenQuestion): string {
  const options = question.options?.join(' | ') ?? 'any text'
  return [
    '',
    // It may contain a diff; the prefix keeps its lines distinct from ours.
    visibleText(`Question (${id}): ${question.text.trimEnd()}`).replaceAll('\n', '\n  > '),
    visible(`  answers: ${options}; default "${question.default}" at ${renderTime(deadlineAtMs)}`),
    visible(`  loopctl answer ${run.name} '${questionName(id)}' <answer>`),
  ].join('\n')
}

const describeBranch = ({ branch, base }: RunWorktree): string =>
  `${branch}, from ${describeBase(base)}`

/** Names and values; a long value is wrapped in its column. */
function renderFields(lines: readonly (readonly string[])[], room: number): string {
  const indent = Math.max(...lines.map(([name = '']) => name.length)) + 2
  return lines
    .map(([name = '', value = '']) => {
      const [first = '', ...more] = wrapped(visible(value), Math.max(20, room - indent))
      return [
        `${visible(name).padEnd(indent)}${first}`.trimEnd(),
        ...more.map((line) => `${' '.repeat(indent)}${line}`),
      ].join('\n')
    })
    .join('\n')
}
