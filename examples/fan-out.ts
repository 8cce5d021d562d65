/** Parallel branches: each counts the words of one text, then the counts are added. */

import type { LoopType } from 'loopwright'
import type { Example } from './example.ts'

interface Progress {
  readonly done: number
  readonly words: number
  readonly order: readonly string[]
}

const fanOut: LoopType<readonly string[], readonly string[], Progress, Progress> = {
  name: 'fan-out',
  createContext: (texts, previous) => texts.slice(previous?.done ?? 0, (previous?.done ?? 0) + 2),
  async iterate(texts, it) {
    // The journal has the order of the branches, so it is the same after a resume.
    const order: string[] = []
    const branches = texts.map((text, index) => {
      const name = `text-${index}`
      return [
        name,
        async (branch: typeof it): Promise<number> => {
          const words = await branch.step('split', () => text.split(' '), { readOnly: true })
          const count = await branch.step('count', () => words.length, { readOnly: true })
          order.push(name)
          return count
        },
      ] as const
    })
    const counts = await it.parallel(Object.fromEntries(branches))
    const words = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { done: texts.length, words, order }
  },
  extractProgress: (result, previous) => ({
    done: (previous?.done ?? 0) + result.done,
    words: (previous?.words ?? 0) + result.words,
    order: [...(previous?.order ?? []), ...result.order],
  }),
  until: [{ type: 'custom', name: 'all texts counted', met: (_progress, made) => made.done < 2 }],
}

export const fanOutExample: Example = {
  loop: fanOut,
  input: ['one', 'two words', 'now three words', 'and these are four', 'the last has five words'],
  parts: () => ({}),
}
