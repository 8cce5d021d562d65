/** Spends until the worst case of the next call no longer fits; faults on the way are retried. */

import { FaultError, type LoopType } from 'loopwright'
import type { Example } from './example.ts'

const spender: LoopType<{ perCall: number }, { perCall: number }, { calls: number }, number> = {
  name: 'budget',
  createContext: ({ perCall }) => ({ perCall }),
  async iterate({ perCall }, it) {
    const reserve = { tokens: perCall, costMicros: perCall * 3 }
    return it.step(
      'call',
      (context) => {
        context.spend({ tokens: perCall / 2, costMicros: perCall })
        if (it.number === 2 && context.attempt === 1) {
          throw new FaultError({ code: 'overloaded', message: 'try again', retryable: true })
        }
        return it.number
      },
      { reserve, retry: { attempts: 3, firstDelayMs: 1, factor: 1, delayMsMax: 1 } },
    )
  },
  extractProgress: (_result, previous) => ({ calls: (previous?.calls ?? 0) + 1 }),
}

export const budgetExample: Example = {
  loop: spender,
  input: { perCall: 1000 },
  limits: { tokens: 4000, iterations: 50 },
  parts: () => ({}),
}
