/** Looks at the levels of loops now and then: work may be reverted while no loop runs. */

import { systemClock } from '../engine/index.ts'
import type { Host } from '../host/host.ts'
import { updateLevels } from '../launch/levels/update-levels.ts'
import type { Log } from './parts.ts'

/** Besides every launch of a loop, and `loopctl levels`. */
const everyMs = 10 * 60_000

/** Until the returned function is called. */
export function watchLevels(
  host: Pick<Host, 'folder' | 'journal' | 'blobs'>,
  log: Log,
  everyOtherMs: number = everyMs,
): () => Promise<void> {
  let looking = Promise.resolve()
  let isLooking = false
  const look = async (): Promise<void> => {
    const onProblem = (problem: string): void => log.warn({}, problem)
    const { escapes } = await updateLevels({ ...host, clock: systemClock }, { onProblem })
    for (const { run, kind, reason } of escapes) {
      log.warn({ run, kind, reason }, 'an action turned out to be wrong; its loop lost a level')
    }
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    looking = look()
      .catch((error: unknown) => log.warn({ error }, 'the levels of loops could not be read'))
      .finally(() => {
        isLooking = false
      })
  }, everyOtherMs).unref()
  return () => {
    clearInterval(timer)
    return looking
  }
}
