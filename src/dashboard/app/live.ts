/**
 * Keeps what the page shows up to date: one stream of changed runs for the whole tab. It goes on after a lost connection
 * at the position where it was, so nothing is missed; a hidden tab closes it, because a browser has few connections.
 */

import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import {
  type Client,
  isEnd,
  isLoopError,
  type RunSummaries,
  type RunSummary,
} from '../../client/browser.ts'
import { useConnection } from './connection.ts'
import { areNotificationsOn, noticesOf, notify } from './notifications.ts'

export type Link = { readonly type: 'connecting' | 'live' | 'paused' } | LostLink

export interface LostLink {
  readonly type: 'lost'
  readonly why: string
}

let link: Link = { type: 'connecting' }
const listeners = new Set<() => void>()

function setLink(next: Link): void {
  link = next
  for (const listener of listeners) listener()
}

/** Whether the page is connected now. */
export const useLink = (): Link =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => link,
  )

export const summariesKey = 'summaries'
export const runKey = (run: string): readonly string[] => ['run', run]

const hiddenMs = 10_000
/** How long queries rest between two refreshes. The first change after a rest is shown at once. */
const refreshMs = 400
const runRefreshMs = 200

/** Call it once, in the frame of the page. `open`: what a click on a notification opens. */
export function useLiveRuns(open: (path: string) => void): void {
  const { client, end } = useConnection()
  const queries = useQueryClient()
  const current = useRef(open)
  current.current = open
  useEffect(() => {
    const refresh = createRefresh(queries)
    const seen = new Map<string, string>()
    let position: number | undefined
    let stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const start = (): void => {
      stop = new AbortController()
      follow(client, {
        position,
        signal: stop.signal,
        refresh,
        onPosition: (at) => (position = at),
        onRuns: (items) => notify(noticesOf(items, seen), (path) => current.current(path)),
      }).catch((error: unknown) => {
        if (isLoopError(error, 'no-token')) end()
        else setLink({ type: 'lost', why: String(error) })
      })
    }
    const onVisibility = (): void => {
      clearTimeout(timer)
      if (!document.hidden && stop.signal.aborted) start()
      if (document.hidden && !areNotificationsOn()) {
        timer = setTimeout(() => {
          stop.abort()
          setLink({ type: 'paused' })
        }, hiddenMs)
      }
    }
    start()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      clearTimeout(timer)
      stop.abort()
    }
  }, [client, end, queries])
}

interface Followed {
  readonly position: number | undefined
  readonly signal: AbortSignal
  readonly refresh: Refresh
  onPosition(position: number): void
  onRuns(items: readonly RunSummary[]): void
}

async function follow(client: Client, followed: Followed): Promise<void> {
  const { signal, refresh, onPosition, onRuns } = followed
  const afterSeq = followed.position ?? (await client.summaries({ limit: 1 })).position
  onPosition(afterSeq)
  setLink({ type: 'live' })
  const stream = client.changedSummaries({
    afterSeq,
    signal,
    onPosition,
    onBreak: ({ why, retryInMs }) =>
      setLink(retryInMs === undefined ? { type: 'live' } : { type: 'lost', why }),
  })
  for await (const { items, isTooMany } of stream) {
    if (isTooMany === true) refresh.all()
    else refresh.runs(items)
    onRuns(items)
  }
}

interface Refresh {
  all(): void
  runs(items: readonly RunSummary[]): void
}

type Pages = InfiniteData<RunSummaries>

function createRefresh(queries: QueryClient): Refresh {
  const later = createThrottle()
  const again = (queryKey: readonly string[]): void => void queries.invalidateQueries({ queryKey })
  return {
    all: () => void queries.invalidateQueries(),
    runs(items) {
      const changed = new Map(items.map((item) => [item.run.id, item]))
      const known = new Set<string>()
      queries.setQueriesData<Pages>({ queryKey: [summariesKey] }, (pages) => {
        if (pages === undefined) return undefined
        return { ...pages, pages: pages.pages.map((page) => replaceIn(page, changed, known)) }
      })
      if (items.some(({ run }) => !known.has(run.id))) {
        later('list', refreshMs, () => again([summariesKey]))
      }
      later('questions', refreshMs, () => again(['questions']))
      later('merges', refreshMs, () => again(['merges']))
      if (items.some(({ run }) => isEnd(run.status))) {
        later('levels', refreshMs, () => again(['levels']))
      }
      for (const { run } of items) {
        for (const name of [run.id, run.name]) {
          const isShown = queries.getQueryCache().find({ queryKey: runKey(name), exact: false })
          if (isShown !== undefined) later(name, runRefreshMs, () => again(runKey(name)))
        }
      }
    },
  }
}

/** Works at once, then at most once in each interval; the last change is never lost. */
function createThrottle(): (name: string, ms: number, work: () => void) => void {
  const resting = new Map<string, (() => void) | undefined>()
  const begin = (name: string, ms: number, work: () => void): void => {
    resting.set(name, undefined)
    work()
    setTimeout(() => {
      const next = resting.get(name)
      resting.delete(name)
      if (next !== undefined) begin(name, ms, next)
    }, ms)
  }
  return (name, ms, work) => {
    if (resting.has(name)) resting.set(name, work)
    else begin(name, ms, work)
  }
}

function replaceIn(
  page: RunSummaries,
  changed: ReadonlyMap<string, RunSummary>,
  known: Set<string>,
): RunSummaries {
  if (!page.items.some(({ run }) => changed.has(run.id))) return page
  const items = page.items.map((item) => {
    const next = changed.get(item.run.id)
    if (next !== undefined) known.add(next.run.id)
    return next ?? item
  })
  return { ...page, items }
}
