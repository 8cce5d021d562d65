/** A loop at work, for tests that stop it. */

import { deferred, loopOf } from './fixture.ts'

/** Work that ends when it is aborted, or when the test releases it. */
export function workingLoop(listens = true) {
  const work = { began: 0, aborted: 0, done: deferred() }
  const loop = loopOf<number>(
    async (_context, it) => {
      await it.step('work', async ({ signal }) => {
        work.began++
        signal.addEventListener('abort', () => work.aborted++, { once: true })
        if (!listens) return work.done.promise
        return Promise.race([
          work.done.promise,
          new Promise<void>((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          }),
        ])
      })
      return it.step('next', () => it.number)
    },
    { until: [{ type: 'max-iterations', iterations: 2 }] },
  )
  return { loop, work }
}
