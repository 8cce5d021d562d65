/** Delivers reports that the process which drove their run could not: it was killed, or a receiver was not reachable. */

import type { RunRow } from '../engine/index.ts'
import type { Host } from '../host/host.ts'
import { deliverReports } from '../launch/deliver/deliver-reports.ts'
import { textOf } from '../loop/index.ts'
import type { Log } from './parts.ts'

const everyMs = 30_000
const dayMs = 86_400_000
const runsMax = 500

/** Until the returned function is called. */
export function deliverLeftovers(
  { folder, journal, blobs }: Pick<Host, 'folder' | 'journal' | 'blobs'>,
  log: Log,
  everyOtherMs: number = everyMs,
): () => Promise<void> {
  const stop = new AbortController()
  const { signal } = stop
  /** When it is due again. Runs that have nothing left are not read again. */
  const due = new Map<string, number>()
  const deliver = async (row: RunRow): Promise<void> => {
    const { id, name, lastSeq } = row
    const key = `${id} ${lastSeq}`
    if ((due.get(key) ?? 0) > Date.now()) return
    const nextAtMs = await deliverReports(
      {
        folder,
        journal,
        blobs,
        signal,
        environment: process.env,
        operator: process.env,
        now: Date.now,
        print: (text) => void process.stdout.write(text),
        onFailed: ({ error }, { type }) =>
          log.warn({ run: name, sink: type, error }, 'a report was not delivered'),
      },
      id,
    )
    due.set(key, nextAtMs ?? Infinity)
  }
  const look = async (): Promise<void> => {
    const createdAfterMs = Date.now() - 7 * dayMs
    const { runs } = await journal.pageRuns({ createdAfterMs, limit: runsMax })
    for (const row of runs) {
      // Its own process delivers, with the environment of its caller.
      if (row.held || signal.aborted) continue
      await deliver(row).catch((error: unknown) => {
        if (!signal.aborted) log.warn({ run: row.name, error: textOf(error) }, 'a report waits')
      })
    }
  }
  let looking = Promise.resolve()
  let isLooking = false
  const wake = (): void => {
    if (isLooking) return
    isLooking = true
    looking = look()
      .catch((error: unknown) => log.warn({ error: textOf(error) }, 'reports cannot be read'))
      .finally(() => {
        isLooking = false
      })
  }
  const timer = setInterval(wake, everyOtherMs).unref()
  wake()
  return async () => {
    clearInterval(timer)
    stop.abort()
    await looking
  }
}
