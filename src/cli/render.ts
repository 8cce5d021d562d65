/** Runs as text for a terminal. */

import type { Inspection, RunRow } from '../host/index.ts'
import { describeOutcome } from '../loop/index.ts'

export const renderTime = (ms: number): string => new Date(ms).toISOString()

export function renderList(runs: readonly RunRow[]): string {
  if (runs.length === 0) return 'No runs yet.'
  const rows = runs.map((run) => [
    run.name,
    run.held || run.status !== 'running' ? run.status : 'interrupted',
    String(run.iteration),
    run.loop,
    renderTime(run.updatedAtMs),
    run.id,
  ])
  return renderTable([['NAME', 'STATUS', 'ITER', 'LOOP', 'UPDATED', 'ID'], ...rows])
}

export function renderInspection({ run, state, questions, checkpoints }: Inspection): string {
  const { limits, spent, metrics } = state
  const lines = [
    ['run', `${run.name}  ${run.id}`],
    ['loop', run.loop],
    ['status', state.outcome === undefined ? state.status : describeOutcome(state.outcome)],
    ['iterations', `${state.iteration} of ${limits.iterations}`],
    ['steps', `${metrics.steps} done, ${metrics.stepsFailed} failed, ${metrics.retries} retries`],
    ['tokens', `${spent.tokens} of ${limits.tokens}`],
    ['cost', `$${(spent.costMicros / 1e6).toFixed(4)} of $${(limits.costMicros / 1e6).toFixed(2)}`],
    ['time', `${(state.activeMs / 1000).toFixed(1)} s of ${limits.timeMs / 1000} s`],
    ['checkpoints', checkpoints.map((checkpoint) => checkpoint.iteration).join(' ') || 'none'],
    ...(run.workspace === undefined ? [] : [['workspace', run.workspace]]),
    ...(state.tree === undefined ? [] : [['tree', state.tree]]),
    ...Object.entries(state.evidence).map(([check, found]) => [
      `check ${check}`,
      `${found.status} (iteration ${found.iteration})`,
    ]),
    ...questions.map(({ id, question, deadlineAtMs }) => [
      `asks ${id}`,
      `${question.text} [${question.options?.join(' | ') ?? 'any text'}] ` +
        `default ${question.default} at ${renderTime(deadlineAtMs)}`,
    ]),
  ]
  return renderTable(lines)
}

function renderTable(rows: readonly (readonly string[])[]): string {
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
