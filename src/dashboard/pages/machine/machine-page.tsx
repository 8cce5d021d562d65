/** What runs depend on: sandbox, agents, disk, journal, and the daemon itself. */

import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleX, KeyRound, TriangleAlert } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import type { Machine } from '../../../client/browser.ts'
import { useConnection } from '../../app/connection.ts'
import { useMachine } from '../../app/queries.ts'
import { Bar } from '../../parts/bar.tsx'
import { Command } from '../../parts/command.tsx'
import { bytes, plural, span } from '../../parts/format.ts'
import { Loading, Problem } from '../../parts/problem.tsx'
import { type Shown, Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'

const tiers: Readonly<Record<Machine['sandbox']['tier'], Shown>> = {
  strong: { word: 'Strong', tone: 'good', icon: CircleCheck },
  basic: { word: 'Basic', tone: 'warn', icon: TriangleAlert },
  none: { word: 'None', tone: 'bad', icon: CircleX },
}

const agentStates: Readonly<Record<Machine['agents'][number]['state'], Shown>> = {
  ready: { word: 'Ready', tone: 'good', icon: CircleCheck },
  'no-key': { word: 'No key', tone: 'warn', icon: KeyRound },
  missing: { word: 'Not installed', tone: 'muted', icon: CircleDashed },
}

const limitNames = { cgroup: 'by control groups', rlimit: 'for each process', none: 'not enforced' }

export function MachinePage(): ReactElement {
  const { data, error } = useMachine()
  const { client } = useConnection()
  const daemon = useQuery({
    queryKey: ['daemon'],
    queryFn: () => client.daemon(),
    refetchInterval: 15_000,
  })
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  const { sandbox, agents, disk, store } = data
  return (
    <div className="mx-auto grid max-w-5xl gap-4 p-4 md:p-6">
      <h1 className="text-lg font-semibold">Machine</h1>
      <div className="grid gap-4 md:grid-cols-2">
        <Card title="Sandbox">
          <Status shown={tiers[sandbox.tier]} isBadge />
          <p>{sandbox.reason}</p>
          {sandbox.fix === undefined ? null : <p className="text-muted">{sandbox.fix}</p>}
          <p className="text-muted">
            Limits {limitNames[sandbox.limits]}. Tested <Time atMs={sandbox.atMs} />.
          </p>
          <Command text="loopctl doctor --probes" />
        </Card>
        <Card title="Disk">
          <p>
            {bytes(disk.freeBytes)} free{' '}
            <span className="text-muted">of {bytes(disk.totalBytes)}</span>
          </p>
          <Bar used={disk.totalBytes - disk.freeBytes} of={disk.totalBytes} label="Disk in use" />
          <p className="text-muted">To remove content that no run needs:</p>
          <Command text="loopctl gc" />
        </Card>
        <Card title="Journal">
          <p>
            {bytes(store.bytes)}
            <span className="text-muted"> · {plural(store.position, 'event')} so far</span>
          </p>
          <p className="font-mono text-[13px]">{store.folder}</p>
        </Card>
        <Card title="Daemon">
          {daemon.data === undefined ? (
            <Loading />
          ) : (
            <p>
              Version {daemon.data.version}, process {daemon.data.pid}, up for{' '}
              {span(daemon.data.uptimeMs)}. {plural(daemon.data.counts.driven, 'run')} open,{' '}
              {daemon.data.counts.queued} queued; at most {daemon.data.settings.maxConcurrentRuns}{' '}
              work at the same time.
            </p>
          )}
          <Command text="loopctl daemon status" />
        </Card>
      </div>
      <Card title="Agents">
        <ul className="divide-y divide-line">
          {agents.map(({ name, state, keyVariable }) => (
            <li key={name} className="flex flex-wrap items-center gap-x-4 py-1.5">
              <span className="w-36">
                <Status shown={agentStates[state]} />
              </span>
              <span className="font-mono text-[13px]">{name}</span>
              {state === 'no-key' && keyVariable !== undefined ? (
                <span className="ml-auto text-muted">
                  Set <code className="font-mono">{keyVariable}</code>, then restart the daemon
                </span>
              ) : null}
            </li>
          ))}
        </ul>
      </Card>
    </div>
  )
}

const Card = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}): ReactElement => (
  <section className="grid content-start justify-items-start gap-2 rounded-xl border border-line bg-panel p-4 [&>ul]:w-full">
    <h2 className="font-semibold">{title}</h2>
    {children}
  </section>
)
