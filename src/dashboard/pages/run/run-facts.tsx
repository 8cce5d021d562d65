/** The numbers of a run: progress, checks, cost, time, certificate. */

import type { ReactElement, ReactNode } from 'react'
import { Link } from 'wouter'
import {
  type CertificateEntry,
  describeLevel,
  type Page,
  type RunDetail,
} from '../../../client/browser.ts'
import { useRunPart } from '../../app/queries.ts'
import { Bar } from '../../parts/bar.tsx'
import { money, shortCount, shortPath, span } from '../../parts/format.ts'
import { Time } from '../../parts/time.tsx'

export interface RunFactsProps {
  readonly detail: RunDetail
  /** Its certificate is about its current files. */
  readonly isCertified: boolean
}

export function RunFacts({ detail, isCertified }: RunFactsProps): ReactElement {
  const { run, state, checks = [] } = detail
  const met = checks.filter(({ last }) => last?.status === 'met').length
  const notMet = checks.filter(({ last }) => last !== undefined && last.status !== 'met')
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 rounded-xl border border-line bg-panel p-3 sm:grid-cols-3 lg:grid-cols-6">
        <Fact name="Iteration">
          {state.open?.iteration ?? state.iteration} <Muted>of {state.limits.iterations}</Muted>
        </Fact>
        <Fact name="Checks met">
          {met} <Muted>of {checks.length}</Muted>
          {notMet.length === 0 ? null : (
            <span
              className="block truncate text-xs text-bad"
              title={notMet.map(({ check }) => check).join(', ')}
            >
              not: {notMet.map(({ check }) => check).join(', ')}
            </span>
          )}
        </Fact>
        <Fact name="Cost">
          {money(state.spent.costMicros)} <Muted>of {money(state.limits.costMicros)}</Muted>
          <Bar
            used={state.spent.costMicros}
            of={state.limits.costMicros}
            label="Cost against the budget"
          />
        </Fact>
        <Fact name="Tokens">
          {shortCount(state.spent.tokens)} <Muted>of {shortCount(state.limits.tokens)}</Muted>
          <Bar
            used={state.spent.tokens}
            of={state.limits.tokens}
            label="Tokens against the budget"
          />
        </Fact>
        <Fact name="Active time">
          {span(state.activeMs)}
          <span className="block text-xs text-muted">
            created <Time atMs={run.createdAtMs} />
          </span>
        </Fact>
        <Fact name="Certificate">
          <Certificate detail={detail} isCertified={isCertified} />
        </Fact>
      </dl>
      <p className="flex flex-wrap gap-x-4 text-xs text-muted">
        {state.origin?.type === 'fork' || state.origin?.type === 'replay' ? (
          <Link href={`/runs/${state.origin.run}`} className="text-accent hover:underline">
            {state.origin.type === 'fork' ? 'Fork' : 'Replay'} of {state.origin.run.slice(0, 13)}
            {state.origin.type === 'fork' ? `, after iteration ${state.origin.iteration}` : ''}
          </Link>
        ) : null}
        {state.worktree === undefined ? null : (
          <span>
            Branch <code className="font-mono">{state.worktree.branch}</code>
          </span>
        )}
        {run.workspace === undefined ? null : (
          <span title={run.workspace}>{shortPath(run.workspace)}</span>
        )}
        {state.agent === undefined ? null : (
          <span>
            Agent {state.agent.name} {state.agent.version ?? ''}
          </span>
        )}
        {state.sandbox === undefined ? null : <span>Sandbox {state.sandbox.tier}</span>}
        {state.unchanged > 0 ? <span>{state.unchanged} iterations without a change</span> : null}
        {state.errors.times > 1 ? (
          <span className="text-bad">Same error {state.errors.times} times</span>
        ) : null}
      </p>
    </>
  )
}

const Muted = ({ children }: { readonly children: ReactNode }): ReactElement => (
  <span className="text-muted">{children}</span>
)

const Fact = ({
  name,
  children,
}: {
  readonly name: string
  readonly children: ReactNode
}): ReactElement => (
  <div className="min-w-0">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
)

function Certificate({ detail, isCertified }: RunFactsProps): ReactElement {
  const { run, state } = detail
  const { data } = useRunPart<Page<CertificateEntry>>(run.id, 'certificates', {
    isNeeded: state.certificate !== undefined,
    query: { limit: 1 },
  })
  if (state.certificate === undefined) return <Muted>none</Muted>
  const [newest] = data?.items ?? []
  const strength = newest?.certificate.strength
  return (
    <>
      <Link href={`/runs/${run.name}/evidence`} className="text-accent hover:underline">
        {isCertified ? (strength?.level ?? 'valid') : 'of earlier files'}
      </Link>
      <span
        className="block truncate text-xs text-muted"
        title={newest === undefined ? undefined : describeLevel(newest.certificate)}
      >
        {state.certificate.id.slice(0, 12)}
      </span>
    </>
  )
}
