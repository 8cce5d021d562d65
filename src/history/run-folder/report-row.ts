/** A line of `report.tsv`: the eleven columns of the legacy format. */

export const reportKinds = [
  'RUN_START',
  'PROMPT_SNAPSHOT',
  'ITERATION_START',
  'ITERATION_END',
  'ITERATION_TAIL',
  'ITERATION_TIMEOUT',
  'CLAUDE_RETRY',
  'VERIFY_START',
  'VERIFY_CMD_START',
  'VERIFY_CMD_END',
  'VERIFY_END',
  'VERIFY_SKIP',
  'MEASURE_START',
  'MEASURE_END',
  'ITERATION_SUMMARY',
  'SKILLS_DISCOVERED',
  'SKILLS_SELECTED',
  'SKILLS_LOAD_FAILED',
  'SKILLS_TRUNCATED',
  'COMPLETE_DETECTED',
  'WATCHDOG_REWRITE',
  'WARN_MALFORMED_COMPLETE',
  'WARN_COMPLETE_WITH_PENDING',
  'WARN_ITERATION_LONG',
  'WARN_OUTPUT_LARGE',
  'RUN_END',
  'POSTMORTEM_START',
  'POSTMORTEM_END',
] as const

export type ReportKind = (typeof reportKinds)[number]

export interface ReportRow {
  readonly atMs: number
  readonly kind: ReportKind
  readonly iteration?: number
  readonly durationMs?: number
  readonly exitCode?: number
  readonly outputBytes?: number
  readonly outputLines?: number
  readonly outputPath?: string
  readonly message?: string
  /** Tasks of a plan. */
  readonly tasksDone?: number
  readonly tasksTotal?: number
}

export const reportColumns = [
  'timestamp_ms',
  'kind',
  'iteration',
  'duration_ms',
  'exit_code',
  'output_bytes',
  'output_lines',
  'output_path',
  'message',
  'tasks_done',
  'tasks_total',
] as const

export const reportHeader: string = `${reportColumns.join('\t')}\n`

const messageCharsMax = 1000

/** Tabs and line breaks inside a cell become spaces. */
export function reportLine(row: ReportRow): string {
  const { atMs, kind, iteration, durationMs, exitCode, outputBytes, outputLines } = row
  const { outputPath, message, tasksDone, tasksTotal } = row
  const cells = [atMs, kind, iteration, durationMs, exitCode, outputBytes, outputLines]
  const all = [...cells, outputPath, message?.slice(0, messageCharsMax), tasksDone, tasksTotal]
  return `${all.map((cell) => oneLine(String(cell ?? ''))).join('\t')}\n`
}

/** One line, without control characters. */
export const oneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
