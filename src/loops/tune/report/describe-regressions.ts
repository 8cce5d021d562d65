/** Cases that got worse, for the log. Broken and suspect ones are never mixed: suspect ones are shown, and not counted. */

import type { Regressions } from '../measure/check-regressions.ts'
import type { LogEntry } from './log-entry.ts'

export const describeRegressions = (
  { broken, suspect }: Regressions,
  iteration: number,
  answer: string,
): LogEntry => ({
  type: 'regression-detected',
  iteration,
  cases: [...broken.map((id) => `${id} (broken)`), ...suspect.map((id) => `${id} (suspect)`)],
  answer,
})
