import type { RunEvent } from '../../loop/index.ts'
import { type RoundReport, roundReportRole } from '../../protocol/round/round-report.ts'
import { roundReportSchema } from '../../protocol/round/round-report-schema.ts'

/** The report in an event, if it is the end of the step with it. The newest one of a run counts. */
export function readRoundReport(event: RunEvent): RoundReport | undefined {
  if (event.type !== 'step-finished' || event.role !== roundReportRole) return undefined
  const { result } = event
  return result !== undefined && 'value' in result
    ? roundReportSchema.safeParse(result.value).data
    : undefined
}
