/** What a person can do with a run now. Each is one decision, recorded with who made it. */

import { CircleStop, Gauge, GitMerge, MessageSquare, Pause, Play, RotateCw } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import { type ActionEntry, isEnd, type RunDetail } from '../../../../client/browser.ts'
import { useConnection } from '../../../app/connection.ts'
import { useRunPart } from '../../../app/queries.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { Button } from '../../../parts/button.tsx'
import { Problem } from '../../../parts/problem.tsx'
import { AgainDialog, canRunAgain } from './again-dialogs.tsx'
import { CancelDialog, LimitsDialog, MergeDialog, TellDialog } from './control-dialogs.tsx'
import { ReportButton } from './report-button.tsx'
import { useDecision } from './use-decision.ts'

export type Control = 'tell' | 'limits' | 'cancel' | 'merge' | 'again'

export function RunControls({ detail }: { readonly detail: RunDetail }): ReactElement {
  const { run, state, review } = detail
  const { client, canDecide, session } = useConnection()
  const [open, setOpen] = useState<Control | undefined>()
  const decision = useDecision(run.name)
  const by = session.name ?? 'dashboard'
  const hasEnded = isEnd(run.status)
  const isHalted = ['paused', 'suspended'].includes(run.status) || run.interrupted
  const pause = (): void =>
    decision.mutate(() => client.sendDecision(run.id, { type: 'pause' }, by))
  const resume = (): void => decision.mutate(() => client.resume(run.id, { by }))
  useShortcuts(
    canDecide && !hasEnded ? { p: isHalted ? resume : pause, t: () => setOpen('tell') } : {},
  )
  const isMerged = useIsMerged(detail)
  if (!canDecide) return <ReportButton run={run} />
  const canMerge =
    run.status === 'completed' &&
    state.worktree !== undefined &&
    review?.status !== 'merged' &&
    review?.status !== 'scrapped' &&
    !isMerged
  const close = (): void => setOpen(undefined)
  return (
    <div className="flex flex-wrap gap-2" role="group" aria-label="Controls">
      {hasEnded ? null : isHalted ? (
        <Button kind="primary" onClick={resume} disabled={decision.isPending}>
          <Play size={15} aria-hidden /> Resume
        </Button>
      ) : (
        <Button onClick={pause} disabled={decision.isPending || state.pauseRequested}>
          <Pause size={15} aria-hidden /> {state.pauseRequested ? 'Pausing' : 'Pause'}
        </Button>
      )}
      {hasEnded ? null : (
        <>
          <Button onClick={() => setOpen('tell')}>
            <MessageSquare size={15} aria-hidden /> Tell
          </Button>
          <Button onClick={() => setOpen('limits')}>
            <Gauge size={15} aria-hidden /> Limits
          </Button>
          <Button kind="danger" onClick={() => setOpen('cancel')}>
            <CircleStop size={15} aria-hidden /> End
          </Button>
        </>
      )}
      {canMerge ? (
        <Button kind="primary" onClick={() => setOpen('merge')}>
          <GitMerge size={15} aria-hidden /> Merge
        </Button>
      ) : null}
      {canRunAgain(detail) ? (
        <Button onClick={() => setOpen('again')}>
          <RotateCw size={15} aria-hidden /> Again
        </Button>
      ) : null}
      <ReportButton run={run} />
      {decision.error === null ? null : <Problem error={decision.error} />}
      {open === 'tell' ? <TellDialog detail={detail} onClose={close} /> : null}
      {open === 'limits' ? <LimitsDialog detail={detail} onClose={close} /> : null}
      {open === 'cancel' ? <CancelDialog detail={detail} onClose={close} /> : null}
      {open === 'again' ? <AgainDialog detail={detail} onClose={close} /> : null}
      {open === 'merge' ? <MergeDialog detail={detail} onClose={close} /> : null}
    </div>
  )
}

/** Its loop merged the work itself. */
function useIsMerged({ run }: RunDetail): boolean {
  const { data } = useRunPart<{ readonly items: readonly ActionEntry[] }>(run.id, 'actions', {
    isNeeded: run.status === 'completed',
  })
  return (
    data === undefined ||
    data.items.some(({ kind, status }) => kind === 'merge' && status === 'done')
  )
}
