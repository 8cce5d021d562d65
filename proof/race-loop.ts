/** A short loop whose steps change files, so that two drivers at once would be seen. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoopType } from 'loopwright'
import type { Hold } from './race-job.ts'

/** Long enough to be stopped in the middle of it. */
const holdMs = 40

export function raceLoop(
  work: string,
  hold: Hold,
  holding: () => void,
): LoopType<null, null, { rounds: number }, number> {
  const write = (name: string, text: string): Promise<void> => writeFile(join(work, name), text)
  return {
    name: 'race',
    createContext: () => null,
    async iterate(_context, it) {
      await it.step('first', () => write('first.txt', `round ${it.number}\n`))
      await it.step(
        'hold',
        async ({ attempt }) => {
          if (attempt > 1 || hold === 'pass' || it.number > 1) return
          holding()
          await sleep(holdMs)
          if (hold === 'return') return
          throw Object.assign(new Error('the provider is busy'), { code: 'EAGAIN' })
        },
        { retry: { attempts: 3, firstDelayMs: 1, factor: 1, delayMsMax: 1 } },
      )
      await it.step('think', () => sleep(1), { readOnly: true })
      await it.step('last', () => write('last.txt', `round ${it.number}\n`))
      return it.number
    },
    extractProgress: (rounds) => ({ rounds }),
    until: [{ type: 'max-iterations', iterations: 2 }],
  }
}
