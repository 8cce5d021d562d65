/** What agents and checks print, as it happens. It follows the end until a person scrolls up. */

import { ArrowDownToLine } from 'lucide-react'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import { type Client, isEnd } from '../../../../client/browser.ts'
import { useConnection } from '../../../app/connection.ts'
import { Button } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { clock } from '../../../parts/format.ts'
import { Loading, Problem } from '../../../parts/problem.tsx'
import { createLogLines, type LogLine } from './log-lines.ts'
import type { TabProps } from './tab-props.ts'

const flushMs = 80
/** What exists is sent at once; after this time there is nothing. */
const firstMs = 3000
const endPixels = 40

interface Log {
  readonly lines: readonly LogLine[]
  readonly state: 'reading' | 'ended' | 'lost'
  readonly error?: unknown
  /** Something was read, or there is nothing to read. */
  readonly isRead: boolean
}

function useLog(client: Client, run: string): Log {
  const [log, setLog] = useState<Log>({ lines: [], state: 'reading', isRead: false })
  useEffect(() => {
    const stop = new AbortController()
    const { lines, add } = createLogLines()
    let timer: ReturnType<typeof setTimeout> | undefined
    let state: Log['state'] = 'reading'
    const flush = (): void => {
      timer = undefined
      setLog({ lines: [...lines], state, isRead: true })
    }
    const first = setTimeout(flush, firstMs)
    const read = async (): Promise<void> => {
      const options = {
        signal: stop.signal,
        onBreak: ({ retryInMs }: { readonly retryInMs?: number }) => {
          state = retryInMs === undefined ? 'reading' : 'lost'
          flush()
        },
      }
      for await (const entry of client.output(run, options)) {
        add(entry)
        timer ??= setTimeout(flush, flushMs)
      }
      if (!stop.signal.aborted) state = 'ended'
      flush()
    }
    read().catch((error: unknown) => {
      if (!stop.signal.aborted) setLog({ lines: [...lines], state: 'ended', error, isRead: true })
    })
    return () => {
      clearTimeout(timer)
      clearTimeout(first)
      stop.abort()
    }
  }, [client, run])
  return log
}

const states = {
  reading: 'Live',
  lost: 'The daemon is gone; the log continues when it is back.',
  ended: 'Complete',
} as const

export function LogTab({ detail }: TabProps): ReactElement {
  const { client } = useConnection()
  const { run } = detail
  const { lines, state, error, isRead } = useLog(client, run.id)
  const list = useRef<VListHandle>(null)
  const [follows, setFollows] = useState(!isEnd(run.status))
  useEffect(() => {
    if (follows && lines.length > 0) list.current?.scrollToIndex(lines.length - 1, { align: 'end' })
  }, [follows, lines])
  const onScroll = (offset: number): void => {
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {}
    setFollows(offset + viewportSize >= scrollSize - endPixels)
  }
  if (error !== undefined) return <Problem error={error} />
  if (lines.length === 0 && !isRead) return <Loading />
  if (lines.length === 0) {
    return (
      <Empty
        title={state === 'ended' ? 'It printed nothing.' : 'Nothing printed yet.'}
        command={`loopctl output ${run.name}`}
      />
    )
  }
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-3 text-xs text-muted">
        <span role="status">{states[state]}</span>
        <span>{lines.length.toLocaleString('en')} lines</span>
        {follows || state === 'ended' ? null : (
          <Button kind="quiet" onClick={() => setFollows(true)}>
            <ArrowDownToLine size={14} aria-hidden /> Follow
          </Button>
        )}
      </div>
      <div className="h-[max(20rem,calc(100dvh-24rem))] rounded-xl border border-line bg-panel">
        <VList
          ref={list}
          data={lines}
          onScroll={onScroll}
          tabIndex={0}
          role="log"
          aria-label="Output"
          aria-live="off"
          className="rounded-xl p-3 font-mono text-[12.5px] leading-5"
        >
          {(line, at) => <Line key={at} line={line} />}
        </VList>
      </div>
    </div>
  )
}

function Line({ line }: { readonly line: LogLine }): ReactElement {
  if (line.type === 'head') {
    return (
      <div className="mt-2 mb-1 flex gap-3 border-b border-line pb-0.5 font-sans text-xs text-muted">
        <span className="font-medium">{line.text}</span>
        <span className="ml-auto">{clock(line.entry.atMs)}</span>
      </div>
    )
  }
  return (
    <div className="min-h-5 whitespace-pre-wrap">
      {line.parts.map(({ text, className }, at) => (
        <span key={at} className={className}>
          {text}
        </span>
      ))}
    </div>
  )
}
