/** What the run spent, entry by entry, and who spent it. */

import type { ReactElement } from 'react'
import type { Ledger } from '../../../../client/browser.ts'
import { useRunPart } from '../../../app/queries.ts'
import { Empty } from '../../../parts/empty.tsx'
import { money, shortCount } from '../../../parts/format.ts'
import { Loading, Problem } from '../../../parts/problem.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import type { TabProps } from './tab-props.ts'

const columns = ['When', 'Entry', 'Iteration', 'Step', 'Agent', 'Tokens', 'Cost']

export function LedgerTab({ detail }: TabProps): ReactElement {
  const { run } = detail
  const { data, error } = useRunPart<Ledger>(run.id, 'ledger', { query: { limit: 1000 } })
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  const { items, spent, reserved, spentByRole, limits } = data
  if (items.length === 0)
    return <Empty title="It has spent nothing." command={`loopctl inspect ${run.name}`} />
  return (
    <div className="grid gap-4">
      <p>
        Spent {money(spent.costMicros)} of {money(limits.costMicros)}, {shortCount(spent.tokens)} of{' '}
        {shortCount(limits.tokens)} tokens.{' '}
        {reserved.tokens > 0
          ? `Reserved for calls in progress: ${money(reserved.costMicros)}. `
          : ''}
        {Object.entries(spentByRole)
          .map(([role, amount]) => `${role}: ${money(amount.costMicros)}`)
          .join(', ')}
      </p>
      <Table label="Ledger" columns={columns}>
        {items.toReversed().map((one) => (
          <tr key={`${one.seq} ${one.id ?? ''}`} className="border-b border-line last:border-0">
            <td className="px-3 py-1 text-xs text-muted">
              <Time atMs={one.atMs} />
            </td>
            <td className={`px-3 py-1 ${one.type === 'reserved' ? 'text-muted' : ''}`}>
              {one.type}
            </td>
            <td className="px-3 py-1">{one.iteration ?? ''}</td>
            <td className="px-3 py-1 font-mono text-[13px]">{one.step ?? ''}</td>
            <td className="px-3 py-1">{one.role ?? ''}</td>
            <td className="px-3 py-1 text-right">{one.amount.tokens.toLocaleString('en')}</td>
            <td className="px-3 py-1 text-right">{money(one.amount.costMicros)}</td>
          </tr>
        ))}
      </Table>
    </div>
  )
}
