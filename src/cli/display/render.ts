/** Runs as text for a terminal. */

import type { Inspection, RunRow } from '../../host/index.ts'
import {
  describeAgent,
  describeOutcome,
  describeWalls,
  type OpenQuestion,
  questionName,
  type RunWorktree,
} from '../../loop/index.ts'
import { plural, renderCount, renderMoney, renderSpan } from './amounts.ts'
import { shortId } from './certification-lines.ts'

/** The furthest that a date goes. */
const timeMaxMs = 8.64e15

export function renderTime(ms: number): string {
  if (Number.isNaN(ms)) return 'no time'
  return new Date(Math.min(Math.max(ms, -timeMaxMs), timeMaxMs)).toISOString()
}

/** What a terminal obeys, and what turns the order of letters around. */
const unseen = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** For programs, and for those who look over their shoulder. */
export const renderJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(unseen, jsonEscape)

const jsonEscape = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/** Text of others on one line of a terminal: it cannot move the cursor or begin a line of its own. */
export const visible = (text: string): string =>
  text.replaceAll(unseen, (character) => escapes[character] ?? hexEscape(character))

/** Text of several lines, tabs kept: it may begin lines, and nothing else. */
export const visibleText = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n')

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const hexEscape = (character: string): string =>
  `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

export function renderList(runs: readonly RunRow[], nowMs: number): string {
  if (runs.length === 0) return 'No runs yet.'
  const rows = runs.map((run) => [
    run.name,
    shownStatus(run),
    String(run.iteration),
    run.loop,
    renderAge(nowMs - run.updatedAtMs),
    run.id.slice(0, 13),
  ])
  return renderTable([['NAME', 'STATUS', 'ITER', 'LOOP', 'UPDATED', 'ID'], ...rows])
}

export const shownStatus = (run: Pick<RunRow, 'interrupted' | 'status'>): string =>
  run.interrupted ? 'interrupted' : run.status

function renderAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`
  return seconds < 86_400
    ? `${Math.round(seconds / 3600)} h ago`
    : `${Math.round(seconds / 86_400)} d ago`
}

/** What is in a worktree besides its commit. Undefined: nothing. */
export function describeCarried({ carried }: RunWorktree): string | undefined {
  if (carried === undefined) return undefined
  const { copied, linked } = carried
  return [
    ...(copied.length === 0 ? [] : [`${fewOf(copied)} (copied)`]),
    ...(linked.length === 0 ? [] : [`${fewOf(linked)} (linked)`]),
  ].join('; ')
}

const shownMax = 10

const fewOf = (paths: readonly string[]): string =>
  paths.length <= shownMax
    ? paths.join(', ')
    : `${paths.slice(0, shownMax).join(', ')} and ${paths.length - shownMax} more`

const describeBranch = ({ branch, base }: RunWorktree): string =>
  `${branch}, from ${describeBase(base)}`

/** A checkout without a branch has a HEAD all the same. */
export const describeBase = ({ name, commit }: RunWorktree['base']): string =>
  `${name} ${commit.slice(0, 12)}${name === 'HEAD' ? ' (no branch)' : ''}`

export function renderInspection({ run, state, questions, checkpoints }: Inspection): string {
  const { limits, spent, metrics } = state
  const carried = state.worktree === undefined ? undefined : describeCarried(state.worktree)
  const under = state.open === undefined ? '' : `, ${state.open.iteration} under way`
  const lines = [
    ['run', `${run.name}  ${run.id}`],
    ['loop', run.loop],
    ...(state.source === undefined ? [] : [['file', `${state.source.file}${changesOf(state)}`]]),
    ...(state.origin === undefined ? [] : [['from', describeOrigin(state.origin)]]),
    ['status', describeStatus(run, state)],
    ...(state.agent === undefined ? [] : [['agent', describeAgent(state.agent)]]),
    ...(state.sandbox === undefined ? [] : [['sandbox', describeWalls(state.sandbox)]]),
    ['iterations', `${state.iteration} of ${limits.iterations}${under}`],
    ['steps', `${metrics.steps} done, ${metrics.stepsFailed} failed, ${metrics.retries} retries`],
    ...Object.entries(metrics.tools).map(([tool, use]) => [
      `tool ${tool}`,
      `${plural(use.calls, 'call')}, ${use.failed} failed, ${renderSpan(use.ms)}`,
    ]),
    ['tokens', `${renderCount(spent.tokens)} of ${renderCount(limits.tokens)}`],
    ['cost', `${renderMoney(spent.costMicros)} of ${renderMoney(limits.costMicros)}`],
    ['time', `${renderSpan(state.activeMs)} of ${renderSpan(limits.timeMs)}`],
    ['checkpoints', checkpoints.map((checkpoint) => checkpoint.iteration).join(' ') || 'none'],
    ...(run.workspace === undefined ? [] : [['workspace', run.workspace]]),
    ...(state.worktree === undefined ? [] : [['branch', describeBranch(state.worktree)]]),
    ...(carried === undefined ? [] : [['carried over', carried]]),
    ...(state.tree === undefined ? [] : [['tree', state.tree]]),
    ...Object.entries(state.evidence).map(([check, found]) => [
      `check ${check}`,
      `${found.status} (iteration ${found.iteration})`,
    ]),
    ...(state.certificate === undefined
      ? []
      : [
          [
            'certificate',
            `${state.certificate.id}  (loopctl verify ${shortId(state.certificate.id)})`,
          ],
        ]),
  ]
  return [renderTable(lines), ...questions.map((asked) => renderQuestion(run, asked))].join('\n')
}

function changesOf({ source }: Inspection['state']): string {
  const { model, prompt } = source?.changes ?? {}
  const changes = [
    ...(model === undefined ? [] : [`the model ${model}`]),
    ...(prompt === undefined ? [] : ['another prompt']),
  ]
  return changes.length === 0 ? '' : `, with ${changes.join(' and ')}`
}

function describeOrigin(origin: NonNullable<Inspection['state']['origin']>): string {
  switch (origin.type) {
    case 'checkpoint':
      return `checkpoint ${origin.checkpoint}, after iteration ${origin.iteration}`
    case 'fork':
      return `a fork of ${origin.run} after iteration ${origin.iteration}`
    case 'replay':
      return `a replay of ${origin.run}`
  }
}

function describeStatus(run: RunRow, state: Inspection['state']): string {
  if (state.outcome !== undefined) return describeOutcome(state.outcome)
  if (run.interrupted) return 'interrupted: its process ended; resume it to go on'
  return state.status
}

function renderQuestion(run: RunRow, { id, question, deadlineAtMs }: OpenQuestion): string {
  const options = question.options?.join(' | ') ?? 'any text'
  return [
    '',
    // With a diff, as it may be, it is of many lines; none of them begins like one of ours.
    visibleText(`It asks (${id}): ${question.text.trimEnd()}`).replaceAll('\n', '\n  > '),
    visible(`  answers: ${options}; "${question.default}" is taken at ${renderTime(deadlineAtMs)}`),
    visible(`  loopctl answer ${run.name} '${questionName(id)}' <answer>`),
  ].join('\n')
}

export function renderTable(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(visible))
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
