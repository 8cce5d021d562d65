/** What a postmortem adds to the report of a run. It is stored as a fact of the run. */

import type { ReportRow } from './report-row.ts'

export interface PostmortemFact {
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly status: 'ok' | 'failed'
  readonly reason: string
  /** By name in `analysis/`. */
  readonly files: { readonly [name: string]: string }
}

export function postmortemRows({
  startedAtMs,
  endedAtMs,
  status,
  reason,
}: PostmortemFact): readonly ReportRow[] {
  const durationMs = endedAtMs - startedAtMs
  const exitCode = status === 'ok' ? 0 : 1
  const message = `status=${status}`
  return [
    { atMs: startedAtMs, kind: 'POSTMORTEM_START', message: `reason=${reason}` },
    { atMs: endedAtMs, kind: 'POSTMORTEM_END', durationMs, exitCode, message },
  ]
}
