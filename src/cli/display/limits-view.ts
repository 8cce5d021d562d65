/** The limits of a run, how much of each is used, and what its agents spent. */

import { describeLimitValue, type LimitUse, listLimitUse, type RunState } from '../../loop/index.ts'
import { renderCount, renderMoney, renderSplit } from './amounts.ts'
import { renderTable, visible } from './render.ts'

export function renderLimits(state: RunState): string {
  const rows = listLimitUse(state).map((use) => [
    visible(use.limit),
    valueOf(use, use.current),
    valueOf(use, use.max),
    valueOf(use, use.remaining),
    describeUse(use),
  ])
  const agents = Object.entries(state.spentByRole).map(([role, spent]) => [
    visible(role),
    `${renderCount(spent.tokens)}${renderSplit(spent)}`,
    renderMoney(spent.costMicros),
  ])
  return [
    renderTable([['LIMIT', 'USED', 'MAX', 'LEFT', ''], ...rows]),
    ...(agents.length === 0 ? [] : ['', renderTable([['AGENT', 'TOKENS', 'COST'], ...agents])]),
  ].join('\n')
}

function describeUse({ remaining, warned }: LimitUse): string {
  if (remaining <= 0) return 'reached'
  return warned ? 'nearly reached' : ''
}

const valueOf = ({ limit }: LimitUse, value: number): string =>
  /\b(?:cost|time)$/.test(limit) ? describeLimitValue(limit, value) : renderCount(value)
