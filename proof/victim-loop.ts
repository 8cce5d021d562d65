/**
 * A loop that does a little of everything that a crash could spoil. From the same tree each step does
 * the same, so a run that was killed must end as one that was not.
 */

import type { LoopType } from 'loopwright'
import { createWork, type VictimTools } from './victim-work.ts'

interface Progress {
  readonly rounds: number
  readonly counts: readonly number[]
}

interface Result {
  readonly round: number
  readonly count: number
}

export const victimLimits = { tokens: 1_000_000, costMicros: 1_000_000, iterations: 10 }

export function victimLoop(
  tools: VictimTools,
  rounds: number,
): LoopType<null, { round: number }, Progress, Result> {
  const work = createWork(tools)
  return {
    name: 'victim',
    createContext: (_input, previous) => ({ round: (previous?.rounds ?? 0) + 1 }),
    async iterate({ round }, it) {
      await it.step('plan', () => work.plan(round))
      await it.step('large', () => `${'l'.repeat(70_000)}${round}`, { readOnly: true })
      const { left } = await it.parallel({
        left: async (branch) => {
          await branch.step('edit', () => work.edit(round))
          return branch.step('count', () => work.count(), { readOnly: true })
        },
        right: async (branch) => {
          await branch.step('swap', () => work.swap(round))
          return branch.step('think', (context) => work.think(round, context), {
            readOnly: true,
            reserve: { tokens: 1000, costMicros: 1500 },
          })
        },
      })
      await it.step('command', (context) => work.command(round, context))
      await it.artifact('report', `round ${round}\n`.repeat(100))
      const options = ['yes', 'no']
      await it.ask('go on', { text: 'Go on?', options, default: 'yes', deadlineMs: 3 })
      const retry = { attempts: 2, firstDelayMs: 1, factor: 1, delayMsMax: 1 }
      await it.step('flaky', () => work.flaky(round), { retry })
      const [whole] = await it.check(['whole'])
      await it.act({ kind: 'publish', summary: `round ${round}, check ${whole?.status}` })
      await it.sleep('rest', 1)
      const count = await it.step('clean up', () => work.cleanUp(round))
      return { round, count: left + count }
    },
    extractProgress: ({ round, count }, previous) => ({
      rounds: round,
      counts: [...(previous?.counts ?? []), count],
    }),
    until: [{ type: 'custom', name: 'enough rounds', met: (made) => made.rounds >= rounds }],
  }
}

export const victimFiles: Readonly<Record<string, string>> = {
  'data.txt': 'zero\n',
  'history.txt': 'begin\n',
  'tool.sh': '#!/bin/sh\n',
  'thing/inner.txt': 'inner\n',
  'notes/round-0.md': 'nothing yet\n',
  'empty/deep/leaf.txt': 'leaf\n',
}

const ticks = 10

/** Runs beside it in the same process, so that units of two runs share commits. */
export const companionLoop: LoopType<null, null, null, number> = {
  name: 'companion',
  createContext: () => null,
  async iterate(_context, it) {
    let sum = 0
    for (let tick = 1; tick <= ticks; tick++) {
      sum += await it.step('tick', () => tick, { readOnly: true })
    }
    return sum
  },
  extractProgress: () => null,
  until: [{ type: 'max-iterations', iterations: 1 }],
}
