/** A time relative to now, with the absolute one on hover. All of them tick together. */

import { type ReactElement, useSyncExternalStore } from 'react'
import { absolute, relative } from './format.ts'

const tickMs = 5000
let nowMs = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    nowMs = Date.now()
    for (const one of listeners) one()
  }, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs)

export function Time({ atMs }: { readonly atMs: number }): ReactElement {
  // It ticks with the others, and is right at once for what is newer than the last tick.
  const now = Math.max(useNow(), Date.now())
  return (
    <time
      dateTime={new Date(atMs).toISOString()}
      title={absolute(atMs)}
      className="whitespace-nowrap"
    >
      {relative(atMs, now)}
    </time>
  )
}
