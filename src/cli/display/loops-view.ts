/** How much attention the runs of each loop needed. */

import type { LoopAttention } from '../../protocol/api/index.ts'
import { plural, renderSpan } from './amounts.ts'
import { renderTable, visible } from './render.ts'

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
