/**
 * Notifies when events of a run were written. All watches on one journal share a single reader, so that many
 * idle runs cost nothing while one is busy.
 */

import type { RunRow, Store } from '../../engine/index.ts'

export interface RunWatch {
  /** Ignores everything written so far. */
  reset(): void
  /** Resolves when something was written since, the signal aborts, or the time is up. */
  changed(signal: AbortSignal, withinMs?: number): Promise<void>
  close(): void
}

interface Hub {
  readonly watched: Map<string, Set<() => void>>
  position: number
  stop(): void
}

const hubs = new WeakMap<Store, Hub>()
const pageSize = 1000

export async function watchRun(journal: Store, { id }: RunRow): Promise<RunWatch> {
  const { lastSeq } = await journal.findRun(id)
  const [last] = await journal.read(id, { afterSeq: lastSeq - 1, limit: 1 })
  const hub = hubs.get(journal) ?? openHub(journal, last?.position ?? 0)
  let isNew = true
  let wake: () => void = () => undefined
  const onChange = (): void => {
    isNew = true
    wake()
  }
  const own = hub.watched.get(id) ?? new Set()
  hub.watched.set(id, own.add(onChange))
  return {
    reset() {
      isNew = false
    },
    async changed(signal, withinMs) {
      if (isNew || signal.aborted) return
      const timer = withinMs === undefined ? undefined : setTimeout(onChange, withinMs)
      timer?.unref()
      await new Promise<void>((resolve) => {
        wake = resolve
        signal.addEventListener('abort', onChange, { once: true })
      })
      clearTimeout(timer)
      signal.removeEventListener('abort', onChange)
    },
    close() {
      own.delete(onChange)
      if (own.size === 0) hub.watched.delete(id)
      if (hub.watched.size > 0) return
      hub.stop()
      hubs.delete(journal)
    },
  }
}

function openHub(journal: Store, position: number): Hub {
  let isReading = false
  let again = false
  const readAll = async (): Promise<void> => {
    again = true
    if (isReading) return
    isReading = true
    try {
      while (again) {
        again = false
        await readNew(journal, hub)
      }
    } catch {
      // Read again at the next write.
    } finally {
      isReading = false
    }
  }
  const hub: Hub = {
    watched: new Map(),
    position,
    stop: journal.watch('events', () => void readAll()),
  }
  hubs.set(journal, hub)
  return hub
}

async function readNew(journal: Store, hub: Hub): Promise<void> {
  for (;;) {
    const page = await journal.readStore({ afterPosition: hub.position, limit: pageSize })
    hub.position = page.at(-1)?.position ?? hub.position
    for (const run of new Set(page.map((recorded) => recorded.run))) {
      for (const wake of hub.watched.get(run) ?? []) wake()
    }
    if (page.length < pageSize) return
  }
}
