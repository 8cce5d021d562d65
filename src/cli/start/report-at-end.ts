/** Printed when a round has ended: its report. */

import { renderRoundReport } from '../../protocol/round/render-round-report.ts'
import type { Runs } from '../connection/runs.ts'
import { visibleText } from '../display/render.ts'
import type { AtEnd } from './end-of-run.ts'

export const showReportOf =
  (runs: Pick<Runs, 'inspect'>, run: string): AtEnd =>
  async () => {
    const { round } = await runs.inspect(run)
    if (round === undefined) return undefined
    const text = visibleText(renderRoundReport(round)).trimEnd()
    return { lines: ['', ...text.split('\n'), ''], value: { round } }
  }
