/** One exchange with a model: the prompt as it was sent, and what came back. Loaded when it is opened. */

import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import {
  type ExchangeView,
  type RecordedEvent,
  type Run,
  runPath,
} from '../../../../client/browser.ts'
import { useConnection } from '../../../app/connection.ts'
import { runKey } from '../../../app/live.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { shortCount, span } from '../../../parts/format.ts'
import { Loading, Problem } from '../../../parts/problem.tsx'

export const isExchange = ({ event }: RecordedEvent): boolean =>
  event.type === 'step-noted' && (event.note.type === 'exchanged' || event.note.type === 'prompted')

export interface ExchangeProps {
  readonly run: Pick<Run, 'id'>
  readonly recorded: RecordedEvent
}

export function Exchange({ run, recorded }: ExchangeProps): ReactElement {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" className="justify-self-start" onClick={() => setIsOpen(true)}>
        As sent and received
      </Button>
      {isOpen ? (
        <Dialog title="As sent and received" isWide onClose={() => setIsOpen(false)}>
          <Content run={run} recorded={recorded} />
        </Dialog>
      ) : null}
    </>
  )
}

function Content({ run, recorded: { seq } }: ExchangeProps): ReactElement {
  const { client } = useConnection()
  const { data, error } = useQuery({
    queryKey: [...runKey(run.id), 'exchange', seq],
    queryFn: async () =>
      (await client.get(runPath(run.id, 'exchanges', String(seq)))) as ExchangeView,
    // What is recorded does not change.
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  const { provider, model, ended, status, durationMs, sent, received, leftOut } = data
  const facts = [
    ...(model === undefined ? [] : [`${provider ?? ''} ${model}`.trim()]),
    ...(ended === undefined ? [] : [ended]),
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(durationMs === undefined ? [] : [span(durationMs)]),
  ]
  return (
    <div className="grid gap-3">
      {facts.length === 0 ? null : <p className="text-muted">{facts.join(' · ')}</p>}
      <Body title="Sent" text={sent} leftOut={leftOut.sent} />
      {received === undefined ? null : (
        <Body title="Received" text={received} leftOut={leftOut.received} />
      )}
    </div>
  )
}

interface BodyProps {
  readonly title: string
  readonly text: string
  readonly leftOut: number
}

const Body = ({ title, text, leftOut }: BodyProps): ReactElement => (
  <section>
    <h3 className="mb-1 font-semibold">{title}</h3>
    <pre
      tabIndex={0}
      aria-label={title}
      className="max-h-[38vh] overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
    >
      {text}
    </pre>
    {leftOut > 0 ? (
      <p className="text-xs text-muted">Not shown: {shortCount(leftOut)} more characters</p>
    ) : null}
  </section>
)
