/** `summary.json`: the sixteen fields of the legacy format. Fields that do not apply are null. */

import { join } from 'node:path'
import type { RunId } from '../../loop/index.ts'
import { promptSnapshot } from './file-names.ts'
import { type FoldState, reportFile, runLogFile } from './fold-state.ts'

export interface RunSummary {
  readonly run_id: string
  readonly start_ms: number
  readonly end_ms: number
  readonly total_duration_ms: number
  readonly iterations_run: number
  readonly completed_iteration: number | null
  readonly avg_duration_ms: number
  readonly last_exit_code: number
  readonly completion_mode: string | null
  readonly model: string
  readonly exit_reason: string
  readonly run_log: string
  readonly run_report: string
  readonly prompt_snapshot: string | null
  readonly last_iteration_tail: string | null
  readonly last_iteration_log: string | null
}

export function createSummary(run: RunId, carried: FoldState, folder: string): RunSummary {
  const { startMs, endMs = startMs, ended, endedMs } = carried
  const inFolder = (path: string | undefined): string | null =>
    path === undefined ? null : join(folder, path)
  return {
    run_id: run,
    start_ms: startMs,
    end_ms: endMs,
    total_duration_ms: endMs - startMs,
    iterations_run: ended,
    completed_iteration: carried.completedIteration ?? null,
    avg_duration_ms: ended === 0 ? 0 : Math.round(endedMs / ended),
    last_exit_code: carried.lastExitCode,
    completion_mode: carried.completionMode ?? null,
    model: carried.model,
    exit_reason: carried.exitReason ?? 'failed',
    run_log: join(folder, runLogFile),
    run_report: join(folder, reportFile),
    prompt_snapshot: carried.hasPrompt ? join(folder, promptSnapshot) : null,
    last_iteration_tail: inFolder(carried.lastTail),
    last_iteration_log: inFolder(carried.lastLog),
  }
}
