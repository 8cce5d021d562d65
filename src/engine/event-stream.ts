/**
 * Streams a run's events as they happen, from any position in its history. Reads by seq, so a slow or
 * reconnecting consumer misses nothing, and nothing is buffered for it.
 */

import { isEnd, type RecordedEvent, type RunId } from '../loop/index.ts'
import type { Journal } from './ports.ts'

export interface StreamOptions {
  readonly afterSeq?: number
  readonly signal?: AbortSignal
  /** Ends after the current events instead of waiting for the end of the run. */
  readonly follow?: boolean
}

const pageSize = 500

/** Whether there are no events after this and never will be, for a reader that has seen the end. */
async function isOver(journal: Journal, run: RunId, afterSeq: number): Promise<boolean> {
  const { status, lastSeq } = await journal.findRun(run)
  return isEnd(status) && lastSeq <= afterSeq
}

export async function* streamEvents(
  journal: Journal,
  run: RunId,
  options: StreamOptions = {},
): AsyncGenerator<RecordedEvent> {
  const { signal, follow = true } = options
  let after = options.afterSeq ?? 0
  let wake: () => void = () => undefined
  let changed = false
  const onChange = (): void => {
    changed = true
    wake()
  }
  const stopWatching = journal.watch('events', onChange)
  signal?.addEventListener('abort', onChange, { once: true })
  try {
    while (signal?.aborted !== true) {
      changed = false
      const page = await journal.read(run, { afterSeq: after, limit: pageSize })
      for (const recorded of page) {
        after = recorded.seq
        yield recorded
        if (recorded.event.type === 'run-ended') return
      }
      if (page.length === pageSize) continue
      if (!follow || (await isOver(journal, run, after))) return
      if (!changed) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  } finally {
    stopWatching()
    signal?.removeEventListener('abort', onChange)
  }
}
