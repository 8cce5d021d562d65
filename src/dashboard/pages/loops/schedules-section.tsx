/** All schedules, and the switch that pauses them together. */

import { useMutation } from '@tanstack/react-query'
import { OctagonPause, Play } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import type { ScheduleList } from '../../../client/browser.ts'
import { useConnection } from '../../app/connection.ts'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/command.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Time } from '../../parts/time.tsx'
import { ScheduleRow } from './schedule-row.tsx'

export function SchedulesSection({ list }: { readonly list: ScheduleList }): ReactElement {
  const { items, paused, driven } = list
  return (
    <section aria-labelledby="schedules" className="grid gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <h2 id="schedules" className="font-semibold">
          Schedules
        </h2>
        {items.length === 0 && paused === undefined ? null : (
          <PauseAll isPaused={paused !== undefined} />
        )}
      </div>
      {paused === undefined ? null : (
        <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn" role="status">
          {paused.by} paused all schedules <Time atMs={paused.atMs} />
          {paused.reason === undefined ? '' : `: ${paused.reason}`}. Nothing starts until they are
          resumed. Runs that go on are not stopped.
        </p>
      )}
      {driven ? null : (
        <p className="flex flex-wrap items-center gap-2 rounded-lg bg-warn-soft px-3 py-2 text-warn">
          No daemon drives them. <Command text="loopctl daemon start" />
        </p>
      )}
      {items.length === 0 ? (
        <Empty title="No schedule yet." command='loopctl schedule add triage.yaml "daily 09:00"'>
          A schedule runs a loop at a time, or after an event. Add one in the folder of the loop:
        </Empty>
      ) : (
        <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-panel">
          {items.map((schedule) => (
            <ScheduleRow key={schedule.id} schedule={schedule} isAllPaused={paused !== undefined} />
          ))}
        </ul>
      )}
    </section>
  )
}

function PauseAll({ isPaused }: { readonly isPaused: boolean }): ReactElement | null {
  const { client, canDecide, session } = useConnection()
  const by = session.name ?? 'dashboard'
  const [isOpen, setIsOpen] = useState(false)
  const [reason, setReason] = useState('')
  const decision = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onSuccess: () => setIsOpen(false),
  })
  if (!canDecide) return null
  const given = reason.trim() === '' ? { by } : { by, reason: reason.trim() }
  return (
    <div className="ml-auto">
      {isPaused ? (
        <Button
          kind="primary"
          disabled={decision.isPending}
          onClick={() => decision.mutate(() => client.schedules.resumeAll({ by }))}
        >
          <Play size={15} aria-hidden /> Resume all
        </Button>
      ) : (
        <Button kind="danger" onClick={() => setIsOpen(true)}>
          <OctagonPause size={15} aria-hidden /> Pause all
        </Button>
      )}
      {isOpen ? (
        <Dialog title="Pause all schedules" onClose={() => setIsOpen(false)}>
          <form
            className="grid gap-3"
            onSubmit={(event) => {
              event.preventDefault()
              decision.mutate(() => client.schedules.pauseAll(given))
            }}
          >
            <p>No schedule starts a run until they are resumed. Runs that go on are not stopped.</p>
            <label className="grid gap-1">
              Why (recorded)
              <input
                autoFocus
                value={reason}
                maxLength={1000}
                onChange={({ target }) => setReason(target.value)}
                className="rounded-md border border-line bg-bg px-2 py-1.5"
              />
            </label>
            <div className="flex justify-end gap-2">
              <Button onClick={() => setIsOpen(false)}>Back</Button>
              <Button kind="danger" type="submit" disabled={decision.isPending}>
                Pause all
              </Button>
            </div>
          </form>
        </Dialog>
      ) : null}
      {decision.error === null ? null : <Problem error={decision.error} />}
    </div>
  )
}
