/** One step: its result, and what happened inside it. */

import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import {
  describeEvent,
  type Page,
  type RecordedEvent,
  type Run,
  runPath,
  type Step,
} from '../../../../client/browser.ts'
import { useConnection } from '../../../app/connection.ts'
import { runKey } from '../../../app/live.ts'
import { clock, money, plural, shortCount, span } from '../../../parts/format.ts'
import { Exchange, isExchange } from './exchange.tsx'

const eventsMax = 1000
const shownMax = 200

export interface StepPaneProps {
  readonly run: Run
  readonly step: Step
}

export function StepPane({ run, step }: StepPaneProps): ReactElement {
  const { client } = useConnection()
  const { data } = useQuery({
    queryKey: [...runKey(run.id), 'events', step.seq],
    queryFn: async () =>
      (await client.get(runPath(run.id, 'events'), {
        after: step.seq - 1,
        limit: eventsMax,
      })) as Page<RecordedEvent>,
  })
  const inside = (data?.items ?? []).filter(
    ({ event }) =>
      (event.type === 'step-noted' || event.type === 'step-failed') && event.step === step.step,
  )
  const { spent, fault, evidence, artifacts } = step
  const longest = Math.max(...inside.map(durationOf), 1)
  return (
    <section className="grid gap-3 rounded-xl border border-line bg-panel p-4" aria-label="Step">
      <header>
        <h2 className="font-mono font-semibold">{step.step}</h2>
        <p className="text-muted">
          Iteration {step.iteration}, attempt {step.attempt}: {step.state}
          {step.endedAtMs === undefined ? '' : ` after ${span(step.endedAtMs - step.startedAtMs)}`}
        </p>
      </header>
      {spent.tokens > 0 ? (
        <p>
          {money(spent.costMicros)} · {shortCount(spent.tokens)} tokens
          {spent.outputTokens === undefined
            ? ''
            : `, of which ${shortCount(spent.outputTokens)} written`}
        </p>
      ) : null}
      {fault === undefined ? null : <p className="text-bad">{`${fault.code}: ${fault.message}`}</p>}
      {evidence === undefined ? null : (
        <p>
          {evidence.check}: {evidence.status}
          {evidence.flaky === true ? ', flaky' : ''}
          {step.exitCode === undefined ? '' : `, exit code ${step.exitCode}`}
        </p>
      )}
      {inside.length === 0 ? null : (
        <ol
          className="grid max-h-[55vh] gap-1 overflow-y-auto"
          aria-label="What happened in it"
          tabIndex={0}
        >
          {inside.slice(-shownMax).map((recorded) => (
            <li key={recorded.seq} className="grid gap-0.5 text-[13px]">
              <span className="flex gap-2">
                <span className="shrink-0 text-xs text-muted">{clock(recorded.atMs)}</span>
                <span className="min-w-0 whitespace-pre-wrap">
                  {describeEvent(recorded.event).replace(`${step.step} `, '').slice(0, 600)}
                </span>
              </span>
              {isExchange(recorded) ? <Exchange run={run} recorded={recorded} /> : null}
              {durationOf(recorded) > 0 ? (
                <span
                  aria-hidden
                  className="ml-16 block h-1 rounded bg-accent"
                  style={{ width: `${Math.max(1, (durationOf(recorded) / longest) * 60)}%` }}
                />
              ) : null}
            </li>
          ))}
        </ol>
      )}
      {artifacts.length === 0 ? null : (
        <p className="text-xs text-muted">
          {plural(artifacts.length, 'stored file')}: {artifacts.map(({ name }) => name).join(', ')}
        </p>
      )}
    </section>
  )
}

function durationOf({ event }: RecordedEvent): number {
  if (event.type !== 'step-noted') return 0
  const { note } = event
  return note.type === 'exchanged' || note.type === 'tool-called' ? note.durationMs : 0
}
