/** The queue of the daemon, as text. */

import type { QueueEntry } from '../../client/index.ts'
import type { Terminal } from '../terminal.ts'
import { renderTable, renderTime, visible } from './render.ts'
import { wrapped } from './wrap.ts'

export function renderQueue(
  entries: readonly QueueEntry[],
  { live, width }: Pick<Terminal, 'live' | 'width'>,
): string {
  if (entries.length === 0) return 'The queue is empty.'
  const rows = entries.map((entry) => [place(entry), entry.name, describeEntry(entry)])
  const table = renderTable([['PLACE', 'NAME', 'STATE'], ...rows])
  const isNarrow = live && table.split('\n').some((line) => line.length > width())
  if (!isNarrow) return table
  return rows
    .map((row) => {
      const [at = '', name = '', state = ''] = row.map(visible)
      const lines = wrapped(state, width() - 6).map((line) => `     ${line}`)
      return [`${at.padEnd(4)} ${name}`, ...lines].join('\n')
    })
    .join('\n')
}

const place = ({ position }: QueueEntry): string => (position === undefined ? '-' : `${position}.`)

export function describeEntry({ state, why, waitsFor, retryAtMs, priority }: QueueEntry): string {
  if (state === 'driven') return why ?? 'running'
  const reason = why ?? `waiting for ${waitsFor ?? 'its turn'}`
  const again = retryAtMs === undefined ? '' : `, retrying at ${renderTime(retryAtMs)}`
  const first = priority === 0 ? '' : `, priority ${priority}`
  return `${reason}${again}${first}`
}
