/** Facts that loops remember, as text for a terminal. Agents wrote them: nothing in them reaches the terminal unescaped. */

import { inOneLine } from '../../loop/index.ts'
import type { MemoryFact } from '../../protocol/api/index.ts'
import type { Terminal } from '../terminal.ts'
import { renderTable, renderTime, visible, visibleText } from './render.ts'

const shortMax = 60
/** Of a line that does not go to a terminal. */
const lineMax = 160

/** The text is cut; `memory show` and `--json` have all of it. */
export function renderFacts(facts: readonly MemoryFact[], { live, width }: Shown): string {
  if (facts.length === 0) return 'No loop remembers anything here.'
  const rows = facts.map((fact) => [
    fact.id,
    fact.loop,
    renderTime(fact.atMs).slice(0, 16).replace('T', ' '),
    inOneLine(fact.text),
  ])
  // The text is last, so it can be cut to the width of the terminal.
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const rest = (live ? width() : lineMax) - widths.reduce((sum, one) => sum + one + 2, 0)
  const max = Math.max(shortMax, rest)
  const cut = rows.map(([id = '', loop = '', at = '', text = '']) => [
    id,
    loop,
    at,
    cutAt(text, max),
  ])
  return renderTable([['ID', 'LOOP', 'SINCE', 'FACT'], ...cut])
}

type Shown = Pick<Terminal, 'live' | 'width'>

const cutAt = (text: string, max: number): string => {
  const characters = Array.from(text)
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}

export function renderFact(fact: MemoryFact): string {
  const { id, loop, repository, source, atMs, expiresAtMs, tags } = fact
  const expiry = expiresAtMs === undefined ? 'never' : renderTime(expiresAtMs)
  return [
    `${id}  ${loop}${repository === undefined ? '' : `  (${repository})`}`,
    `source: ${source}`,
    `since: ${renderTime(atMs)}, expires: ${expiry}`,
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`]),
    '',
  ]
    .map(visible)
    .concat(visibleText(fact.text))
    .join('\n')
}
