/** The worktrees of runs as text: a table, or where that is too wide some lines for each. */

import type { Worktree } from '../../protocol/api/index.ts'
import type { Terminal } from '../terminal.ts'
import { renderSize } from './amounts.ts'
import { renderTable, shownStatus, visible } from './render.ts'
import { wrapped } from './wrap.ts'

export const noneText = (): string => 'No worktrees.'

export function renderWorktrees(
  entries: readonly Worktree[],
  { live, width }: Pick<Terminal, 'live' | 'width'>,
): string {
  if (entries.length === 0) return noneText()
  const rows = entries.map((entry) => [
    entry.run?.name ?? '-',
    entry.branch,
    `${renderSize(entry.size.bytes)}${entry.size.isPartial ? '+' : ''}`,
    stateOf(entry).join(', '),
    entry.path,
  ])
  const table = renderTable([['RUN', 'BRANCH', 'SIZE', 'STATE', 'FOLDER'], ...rows])
  const isNarrow = live && table.split('\n').some((line) => line.length > width())
  return isNarrow ? rows.map((row) => inLines(row, width())).join('\n') : table
}

/** The folder stays whole, so that it can be copied. */
function inLines(row: readonly string[], width: number): string {
  const [name = '', branch = '', size = '', state = '', path = ''] = row.map(visible)
  const [first = '', ...more] = wrapped(`${name}  ${branch}  ${size}  ${state}`, width - 2)
  return [first.trimEnd(), ...[...more, path].map((line) => `  ${line.trim()}`)].join('\n')
}

const places = { there: [], missing: ['folder gone'], pruned: ['pruned'], 'not-ours': ['replaced'] }

const branches = {
  gone: 'branch gone',
  empty: 'no commits',
  merged: 'merged',
  unmerged: 'not merged',
}

/** What there is to know before one takes it away. */
function stateOf({ run, status, state }: Worktree): readonly string[] {
  return [
    run === undefined ? 'no run on this record' : shownStatus(run),
    ...places[status],
    ...(state.uncommitted.length === 0 ? [] : [`${state.uncommitted.length} uncommitted`]),
    ...(state.locked === undefined ? [] : ['locked']),
    branches[state.branch],
  ]
}
