/**
 * Projects steps with the roles `skills` and `measure` to the files of a run: rows of the report, and the files of
 * experiment mode. Results come from any loop, so their shape is uncertain.
 */

import type { Json } from '../../loop/index.ts'
import { experimentLog, metricsFile, summaryOfMetrics } from './file-names.ts'
import type { Change, FoldState, OpenIteration } from './fold-state.ts'
import type { StepChange } from './project-step.ts'
import type { ReportRow } from './report-row.ts'

interface StepContext {
  readonly carried: FoldState
  readonly open: OpenIteration
  readonly atMs: number
}

export function projectMeasure(
  { carried, open, atMs }: StepContext,
  event: StepChange,
  result?: Json,
): Change {
  const { iteration, step } = event
  const at = { atMs, iteration }
  const durationMs = atMs - (open.steps[step] ?? atMs)
  switch (event.type) {
    case 'step-started': {
      const steps = { ...open.steps, [step]: atMs }
      return {
        next: { ...carried, open: { ...open, steps } },
        rows: [{ ...at, kind: 'MEASURE_START' }],
      }
    }
    case 'step-failed': {
      const { message } = event.fault
      return {
        next: carried,
        rows: [{ ...at, kind: 'MEASURE_END', durationMs, exitCode: 1, message }],
      }
    }
    case 'step-noted':
      return { next: carried }
    case 'step-finished': {
      const { exitCode, metrics = null, problem, output } = fields(result)
      const path = metricsFile(iteration)
      const text = `${JSON.stringify(metrics, null, 2)}\n`
      const summary = summarize({ iteration, exitCode, durationMs, metrics, problem, output })
      return {
        next: carried,
        changes: [
          { type: 'put', path, text },
          { type: 'put', path: summaryOfMetrics(iteration), text: summary },
          { type: 'append', path: experimentLog, text: `${summary}\n` },
        ],
        rows: [
          {
            ...at,
            kind: 'MEASURE_END',
            durationMs,
            exitCode: typeof exitCode === 'number' ? exitCode : 1,
            outputPath: path,
            ...(typeof problem === 'string' ? { message: problem } : {}),
          },
          { ...at, kind: 'ITERATION_SUMMARY', outputPath: summaryOfMetrics(iteration) },
        ],
      }
    }
  }
}

interface Measured {
  readonly iteration: number
  readonly durationMs: number
  readonly exitCode: Json | undefined
  readonly metrics: Json
  readonly problem: Json | undefined
  readonly output: Json | undefined
}

function summarize({
  iteration,
  exitCode,
  durationMs,
  metrics,
  problem,
  output,
}: Measured): string {
  const exit = typeof exitCode === 'number' ? `exit code ${exitCode}` : 'it did not end by itself'
  const found =
    typeof problem === 'string'
      ? [`No metrics: ${problem}.`]
      : ['```json', JSON.stringify(metrics, null, 2), '```']
  const printed =
    typeof output === 'string' && output !== ''
      ? ['', 'It printed:', output.replaceAll(/^/gm, '> ')]
      : []
  const head = [
    `## Iteration ${iteration}`,
    `Measured in ${(durationMs / 1000).toFixed(1)} s, ${exit}.`,
  ]
  return [...head, ...found, ...printed, ''].join('\n')
}

/** The payload of each row is JSON, as in the legacy events. */
export function projectSkills(
  { carried, atMs }: StepContext,
  event: StepChange,
  result?: Json,
): Change {
  if (event.type !== 'step-finished') return { next: carried }
  const { iteration } = event
  const row = (kind: ReportRow['kind'], payload: object): ReportRow => ({
    atMs,
    kind,
    iteration,
    message: JSON.stringify(payload),
  })
  const read = fields(result)
  if (read['type'] === 'found') {
    const skills = list(read['skills']).map(fields)
    const names = skills.map(({ name }) => name ?? null)
    const locations = [...new Set(skills.map(({ dir }) => dir ?? null))]
    const failed = list(read['problems']).map((reason) => row('SKILLS_LOAD_FAILED', { reason }))
    const found = { count: names.length, locations, names }
    return { next: carried, rows: [row('SKILLS_DISCOVERED', found), ...failed] }
  }
  const { agent = null, task = null, strategy = 'none' } = read
  const chosen = {
    step_kind: agent === 'maker' ? 'implementation' : 'review',
    task_label: task,
    skills: list(read['skills']),
    strategy,
    errors: list(read['problems']),
  }
  return {
    next: carried,
    rows: [
      row('SKILLS_SELECTED', chosen),
      ...list(read['failed']).map((one) => row('SKILLS_LOAD_FAILED', fields(one))),
      ...list(read['cut'])
        .map(fields)
        .map(({ name = null, charsMax = null }) =>
          row('SKILLS_TRUNCATED', { name, max_chars: charsMax }),
        ),
    ],
  }
}

const fields = (value: Json | undefined): { readonly [name: string]: Json | undefined } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [name: string]: Json })
    : {}

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
