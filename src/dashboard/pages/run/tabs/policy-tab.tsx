/** What the policy answered, with the rules that decided and the numbers it saw. */

import type { ReactElement } from 'react'
import type { PolicyDecisions } from '../../../../client/browser.ts'
import { useRunPart } from '../../../app/queries.ts'
import { Empty } from '../../../parts/empty.tsx'
import { plural } from '../../../parts/format.ts'
import { Loading, Problem } from '../../../parts/problem.tsx'
import { Time } from '../../../parts/time.tsx'
import type { TabProps } from './tab-props.ts'

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
      <div
        className="overflow-x-auto rounded-xl border border-line bg-panel"
        tabIndex={0}
        role="region"
        aria-label="Answers of the policy"
      >
        <table className="w-full text-left">
          <thead className="text-xs text-muted">
            <tr className="border-b border-line">
              {['When', 'Answer', 'What', 'Rules', 'Why', 'Numbers'].map((name) => (
                <th key={name} scope="col" className="px-3 py-2 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </div>
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
