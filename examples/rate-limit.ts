/** A provider says "not now" once: the iteration waits, is not counted, and its steps stay done. */

import { type LoopType, rateLimited } from 'loopwright'
import type { Example } from './example.ts'

const patient: LoopType<{ waitMs: number }, { waitMs: number }, { sum: number }, number> = {
  name: 'rate-limit',
  createContext: ({ waitMs }) => ({ waitMs }),
  async iterate({ waitMs }, it) {
    const first = await it.step('first', () => it.number)
    const second = await it.step('second', (context) => {
      if (it.number === 2 && context.attempt === 1) {
        throw rateLimited('the window is full', Date.now() + waitMs)
      }
      return first * 10
    })
    return first + second
  },
  extractProgress: (result, previous) => ({ sum: (previous?.sum ?? 0) + result }),
  until: [{ type: 'max-iterations', iterations: 3 }],
}

export const rateLimitExample: Example = {
  loop: patient,
  input: { waitMs: 20 },
  parts: () => ({}),
}
