/** A run that the proof writes itself, from a process beside the daemon, as fast as it is told to. */

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLocalStore } from '#src/testing/open-local-store.ts'

type Writing = typeof import('../src/testing/write-run.ts')

export interface EventWriter {
  readonly run: string
  /** So many events of so many bytes, with a pause after each commit of ten. */
  write(events: number, bytes: number, pauseMs: number): Promise<void>
  /** Ends the run; gives the seq of its last event. */
  end(): Promise<number>
}

export async function openWriter(state: string, name: string): Promise<EventWriter> {
  const at = new URL('../../dist/testing/write-run.js', import.meta.url).href
  const { writeRun } = (await import(at)) as Writing
  const journal = openLocalStore({ path: join(state, 'journal.db'), synchronous: 'NORMAL' })
  const written = await writeRun(journal, { name })
  await written.take()
  return {
    run: written.run,
    async write(events, bytes, pauseMs) {
      const message = 'x'.repeat(bytes)
      for (let done = 0; done < events; done += 10) {
        const unit = Array.from({ length: Math.min(10, events - done) }, () => ({
          type: 'warning' as const,
          code: 'proof',
          message,
        }))
        await written.write(...unit)
        if (pauseMs > 0) await sleep(pauseMs)
      }
    },
    async end() {
      await written.write({
        type: 'run-ended',
        outcome: { type: 'completed', condition: 'proof' },
      })
      const { seq } = written.state
      await journal.close()
      return seq
    },
  }
}
