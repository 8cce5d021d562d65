/** What the policy answered, with the rules that decided and the numbers it saw. */

import type { ReactElement } from 'react'
import type { PolicyDecisions } from '../../../../client/browser.ts'
import { useRunPart } from '../../../app/queries.ts'
import { Empty } from '../../../parts/empty.tsx'
import { plural } from '../../../parts/format.ts'
import { Loading, Problem } from '../../../parts/problem.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import type { TabProps } from './tab-props.ts'

const columns = ['When', 'Answer', 'What', 'Rules', 'Why', 'Numbers']

export function PolicyTab({ detail }: TabProps): ReactElement {
  const { run } = detail
  const { data, error } = useRunPart<PolicyDecisions>(run.id, 'policy', { query: { limit: 500 } })
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  const { items, allowedCalls = [], policy } = data
  if (policy === undefined && items.length === 0) {
    return (
      <Empty title="No policy applies to this run." command="loopctl policy check">
        The limits of the engine hold anyway. To validate a policy:
      </Empty>
    )
  }
  return (
    <div className="grid gap-4">
      <Table label="Answers of the policy" columns={columns}>
        {items.toReversed().map((one) => (
          <tr key={one.seq} className="border-b border-line align-top last:border-0">
            <td className="px-3 py-1.5 text-xs text-muted">
              <Time atMs={one.atMs} />
            </td>
            <td
              className={`px-3 py-1.5 font-medium ${one.decision === 'allow' ? 'text-good' : 'text-bad'}`}
            >
              {one.decision === 'allow'
                ? 'Allowed'
                : one.isMonitored === true
                  ? 'Would be denied'
                  : 'Denied'}
            </td>
            <td className="px-3 py-1.5">
              {one.action} {one.resource ?? one.iteration}
            </td>
            <td className="px-3 py-1.5 font-mono text-[13px]">{one.rules.join(', ')}</td>
            <td className="px-3 py-1.5 text-muted">{one.reason ?? ''}</td>
            <td className="px-3 py-1.5 font-mono text-xs text-muted">
              {one.context === undefined
                ? ''
                : Object.entries(one.context)
                    .map(([name, value]) => `${name} ${String(value)}`)
                    .join(', ')}
            </td>
          </tr>
        ))}
      </Table>
      {allowedCalls.length === 0 ? null : (
        <section>
          <h2 className="mb-1 font-semibold">Tool calls that were allowed</h2>
          <ul>
            {allowedCalls.map(({ tool, rules, times }) => (
              <li key={`${tool} ${rules.join()}`}>
                {tool}: {plural(times, 'time')}{' '}
                <span className="text-muted">by {rules.join(', ')}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
