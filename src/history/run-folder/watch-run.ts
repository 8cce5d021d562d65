/**
 * Tells when something of a run was written. All that are watched on one record share one look at what is
 * new in it, so that many quiet runs cost nothing when one is busy.
 */

import type { RunRow, Store } from '../../engine/index.ts'

export interface RunWatch {
  /** From now on counts. */
  reset(): void
  /** Resolves when something was written since, the signal aborts, or time is over. */
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
  let isLooking = false
  let again = false
  const look = async (): Promise<void> => {
    again = true
    if (isLooking) return
    isLooking = true
    try {
      while (again) {
        again = false
        await readNew(journal, hub)
      }
    } catch {
      // What cannot be read now is read when something is written again.
    } finally {
      isLooking = false
    }
  }
  const hub: Hub = {
    watched: new Map(),
    position,
    stop: journal.watch('events', () => void look()),
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
