/** How much attention the runs of each loop needed. */

import type { Run } from '../../protocol/api/index.ts'
import { plural, renderSpan } from './amounts.ts'
import { renderTable, visible } from './render.ts'

export interface LoopAttention {
  readonly loop: string
  readonly runs: number
  readonly questions: number
  readonly waitedMs: number
}

/** The most questions first. */
export function sumByLoop(runs: readonly Run[]): readonly LoopAttention[] {
  const sums = new Map<string, LoopAttention>()
  for (const { loop, attention = { questions: 0, waitedMs: 0 } } of runs) {
    const before = sums.get(loop) ?? { loop, runs: 0, questions: 0, waitedMs: 0 }
    sums.set(loop, {
      loop,
      runs: before.runs + 1,
      questions: before.questions + attention.questions,
      waitedMs: before.waitedMs + attention.waitedMs,
    })
  }
  return [...sums.values()].toSorted(
    (a, b) => b.questions - a.questions || (a.loop < b.loop ? -1 : 1),
  )
}

export const renderLoops = (loops: readonly LoopAttention[]): string =>
  loops.length === 0
    ? 'No runs yet.'
    : renderTable(
        loops.map(({ loop, runs, questions, waitedMs }) => [
          visible(loop),
          plural(runs, 'run'),
          plural(questions, 'question'),
          `${renderSpan(waitedMs)} waited`,
        ]),
      )
