/**
 * Notifies about writes: immediately for this process, and for others through SQLite's
 * `data_version`, which changes when another connection commits. No rows are polled.
 */

import type { Topic } from '../engine/index.ts'
import type { Database } from './database.ts'

const pollMs = 100

export interface Watch {
  notify(topic: Topic): void
  add(topic: Topic, onChange: () => void): () => void
  close(): void
}

export function createWatch(database: Database): Watch {
  const listeners: Record<Topic, Set<() => void>> = { events: new Set(), decisions: new Set() }
  const version = database.prepare('PRAGMA data_version')
  let timer: NodeJS.Timeout | undefined
  let seen = -1

  /** Undefined if the store fails: callers of the store get that error, and here it is read again. */
  function read(): number | undefined {
    try {
      return (version.get() as { data_version: number }).data_version
    } catch {
      return undefined
    }
  }

  function notify(topic: Topic): void {
    for (const listener of listeners[topic]) listener()
  }

  function poll(): void {
    const current = read()
    if (current === undefined || current === seen) return
    seen = current
    notify('events')
    notify('decisions')
  }

  /** Watchers of events are waiting for them; decisions are less urgent. */
  function keepAlive(): void {
    if (listeners.events.size > 0) timer?.ref()
    else timer?.unref()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    notify,
    add(topic, onChange) {
      listeners[topic].add(onChange)
      if (timer === undefined) {
        seen = read() ?? seen
        timer = setInterval(poll, pollMs)
      }
      keepAlive()
      return () => {
        listeners[topic].delete(onChange)
        if (listeners.events.size + listeners.decisions.size === 0) stop()
        else keepAlive()
      }
    },
    close() {
      // Waiting callers check once more, and find the journal closed.
      notify('events')
      notify('decisions')
      listeners.events.clear()
      listeners.decisions.clear()
      stop()
    },
  }
}
