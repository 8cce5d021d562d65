/** One schedule: when it is due next, what it did last, its daily cap, and what can be done with it. */

import { useMutation } from '@tanstack/react-query'
import { ChevronRight, Pause, Play, Zap } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import { Link } from 'wouter'
import type { Schedule, ScheduleTick } from '../../../client/browser.ts'
import { useConnection } from '../../app/connection.ts'
import { Button } from '../../parts/button.tsx'
import { Loading, Problem } from '../../parts/problem.tsx'
import { Status, toneText } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import {
  describeCaps,
  describeTrigger,
  healthShown,
  tickCost,
  tickResult,
} from './describe-schedule.ts'
import { useSchedule } from './use-loops.ts'

export interface ScheduleRowProps {
  readonly schedule: Schedule
  /** All of them are paused. */
  readonly isAllPaused: boolean
}

export function ScheduleRow({ schedule, isAllPaused }: ScheduleRowProps): ReactElement {
  const [isOpen, setIsOpen] = useState(false)
  const { name, health, loop, alert, last, nextAtMs, paused, running } = schedule
  return (
    <li className="grid gap-2 p-3" aria-label={name}>
      <div className="grid items-start gap-x-4 gap-y-1 md:grid-cols-[7.5rem_minmax(0,1.3fr)_minmax(0,1fr)_minmax(0,1.2fr)_13.5rem]">
        <Status shown={healthShown[health]} />
        <div className="min-w-0">
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
            className="flex items-center gap-1 text-left font-medium hover:text-accent"
          >
            <ChevronRight
              size={15}
              aria-hidden
              className={`shrink-0 ${isOpen ? 'rotate-90' : ''}`}
            />
            {name}
          </button>
          <p className="pl-5 text-[13px] text-muted">
            {loop} · {describeTrigger(schedule)}
          </p>
        </div>
        <Fact name="Next">
          {nextAtMs === undefined ? (
            <span className="text-muted">{paused === undefined ? 'on its event' : 'none'}</span>
          ) : (
            <Time atMs={nextAtMs} />
          )}
          <span className="block text-[13px] text-muted">{describeCaps(schedule)}</span>
        </Fact>
        <Fact name="Last">
          {running === undefined ? (
            <LastTick last={last} />
          ) : (
            <Link href={`/runs/${running.name}`} className="text-accent hover:underline">
              {running.name}
            </Link>
          )}
        </Fact>
        <Actions schedule={schedule} isAllPaused={isAllPaused} />
      </div>
      {alert === undefined ? null : <p className="text-bad md:pl-34">{alert}</p>}
      {paused === undefined || isAllPaused ? null : (
        <p className="text-muted md:pl-34">
          Paused by {paused.by} <Time atMs={paused.atMs} />
          {paused.reason === undefined ? '' : `: ${paused.reason}`}
        </p>
      )}
      {isOpen ? <Ticks schedule={schedule} /> : null}
    </li>
  )
}

const Fact = ({
  name,
  children,
}: {
  readonly name: string
  readonly children: React.ReactNode
}): ReactElement => (
  <div className="min-w-0">
    <span className="mr-2 text-xs text-muted md:mr-0 md:block">{name}</span>
    {children}
  </div>
)

function LastTick({ last }: { readonly last: ScheduleTick | undefined }): ReactElement {
  if (last === undefined) return <span className="text-muted">not yet</span>
  const [word, tone] = tickResult(last)
  return (
    <>
      <span className={`font-medium ${toneText[tone]}`}>{word}</span>{' '}
      <span className="text-muted">
        <Time atMs={last.atMs} />
      </span>
      <span className="block text-[13px] text-muted">{last.reason ?? tickCost(last)}</span>
    </>
  )
}

function Actions({ schedule, isAllPaused }: ScheduleRowProps): ReactElement | null {
  const { client, canDecide, session } = useConnection()
  const by = session.name ?? 'dashboard'
  const decision = useMutation({ mutationFn: (work: () => Promise<unknown>) => work() })
  if (!canDecide || schedule.health === 'unreadable') return null
  const { id, name, paused, running, health } = schedule
  const isHalted = !isAllPaused && (paused !== undefined || health === 'failing')
  return (
    <div className="grid gap-1">
      <div className="flex gap-2 md:justify-end" role="group" aria-label={`Controls of ${name}`}>
        <Button
          disabled={decision.isPending || running !== undefined || isAllPaused}
          onClick={() => decision.mutate(() => client.schedules.run(id, { by }))}
        >
          <Zap size={15} aria-hidden /> Run now
        </Button>
        {isHalted ? (
          <Button
            kind="primary"
            disabled={decision.isPending}
            onClick={() => decision.mutate(() => client.schedules.resume(id, { by }))}
          >
            <Play size={15} aria-hidden /> Resume
          </Button>
        ) : (
          <Button
            disabled={decision.isPending || isAllPaused}
            onClick={() => decision.mutate(() => client.schedules.pause(id, { by }))}
          >
            <Pause size={15} aria-hidden /> Pause
          </Button>
        )}
      </div>
      {decision.error === null ? null : <Problem error={decision.error} />}
    </div>
  )
}

function Ticks({ schedule }: { readonly schedule: Schedule }): ReactElement {
  const { data, error } = useSchedule(schedule)
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  const ticks = data.ticks ?? []
  if (ticks.length === 0) return <p className="text-muted md:pl-34">It was not due yet.</p>
  return (
    <ol className="grid gap-1 border-l-2 border-line pl-3 text-[13px] md:ml-34">
      {ticks.map((tick) => {
        const [word, tone] = tickResult(tick)
        const more = (tick.times ?? 1) > 1 ? `, ${tick.times} times` : ''
        const missed = tick.missed === undefined ? '' : `, for ${tick.missed} missed ones`
        return (
          <li key={tick.tick} className="flex flex-wrap gap-x-3">
            <span className="w-20 text-muted">
              <Time atMs={tick.atMs} />
            </span>
            <span className={toneText[tone]}>
              {word}
              {more}
              {missed}
            </span>
            {tick.name === undefined ? null : (
              <Link href={`/runs/${tick.name}`} className="text-accent hover:underline">
                {tick.name}
              </Link>
            )}
            <span className="text-muted">{tick.reason ?? tickCost(tick)}</span>
          </li>
        )
      })}
    </ol>
  )
}
