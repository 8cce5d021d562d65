/** Writes entries as the sections of `LOOP_LOG.md`. Pure. */

import type { LogEntry } from './log-entry.ts'
import { percent, points, tally } from './numbers.ts'

const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

export function writeEntry(entry: LogEntry): string {
  const [title, lines] = describe(entry)
  return `## ${title}\n\n${bullets(lines.map((line) => line.replaceAll('\n', '\n  ')))}\n`
}

export const writeLog = (entries: readonly LogEntry[]): string =>
  `# Loop log\n\n${entries.map(writeEntry).join('\n')}`

function describe(entry: LogEntry): readonly [title: string, lines: readonly string[]] {
  switch (entry.type) {
    case 'calibration-passed':
      return ['Calibration', [`Case: ${entry.case}`, `Attempt: ${entry.attempt}`, 'Result: passed']]
    case 'calibration-failed':
      return [
        'Calibration Failure',
        [
          `Case: ${entry.case}`,
          `Attempt: ${entry.attempt}`,
          `At: ${entry.failure.at}`,
          `Reason: ${entry.failure.reason}`,
        ],
      ]
    case 'hypothesis':
      return [
        `Hypothesis: iteration ${entry.iteration}`,
        [
          `Theory: ${entry.statement}`,
          `Prediction: ${entry.prediction}`,
          `Cases: ${entry.improves.join(', ') || 'none'}`,
          'Status: Untested',
        ],
      ]
    case 'experiment':
      return [
        `Experiment: iteration ${entry.iteration}`,
        [`Measured: ${entry.what}`, `Runs: ${entry.runs}`, ...entry.infrastructure],
      ]
    case 'critique':
      return [
        `Critique: iteration ${entry.iteration}`,
        [
          `Passing: ${tally(entry.passing)}`,
          ...entry.failing.map(({ id, text }) => `${id}: ${text || 'no reason given'}`),
        ],
      ]
    case 'composer-analysis':
    case 'decision':
    case 'edit-applied':
      return describeChoice(entry)
    default:
      return describeResult(entry)
  }
}

type ChoiceEntry = Extract<LogEntry, { type: 'composer-analysis' | 'decision' | 'edit-applied' }>

function describeChoice(entry: ChoiceEntry): readonly [string, readonly string[]] {
  switch (entry.type) {
    case 'composer-analysis':
      return [
        `Composer Analysis: iteration ${entry.iteration}`,
        [
          `Root cause: ${entry.rootCause}`,
          ...entry.options.map(
            ({ id, name, summary, isRecommended }) =>
              `Option ${id}: ${name}${isRecommended ? ' (recommended)' : ''}: ${summary}`,
          ),
        ],
      ]
    case 'decision':
      return [
        `Decision: iteration ${entry.iteration}`,
        [
          `Chosen: ${entry.chosen.join(', ') || 'none'}`,
          `By: ${entry.by}`,
          ...(entry.reason === undefined ? [] : [`Reason: ${entry.reason}`]),
        ],
      ]
    case 'edit-applied':
      return [
        `Edit Applied: iteration ${entry.iteration}`,
        [
          `Option: ${entry.option.id} ${entry.option.name}`,
          `Mechanism: ${entry.option.mechanism}`,
          ...entry.option.edits.map(
            ({ file, current, proposed }) =>
              `${file}: ${JSON.stringify(current)} becomes ${JSON.stringify(proposed)}`,
          ),
        ],
      ]
  }
}

type ResultEntry = Extract<
  LogEntry,
  {
    type: 'iteration-result' | 'metrics' | 'regression-detected' | 'insight' | 'iteration-complete'
  }
>

function describeResult(entry: ResultEntry): readonly [string, readonly string[]] {
  const at = `iteration ${entry.iteration}`
  switch (entry.type) {
    case 'iteration-result':
      return [
        `Iteration Result: ${at}`,
        [
          `Verdict: ${entry.verdict}`,
          `Passing: ${tally(entry.passing)}`,
          `Fixed: ${entry.fixed.join(', ') || 'none'}`,
          `Regressed: ${entry.regressed.join(', ') || 'none'}`,
          `Hypothesis: ${entry.hypothesis}`,
        ],
      ]
    case 'metrics':
      return [
        `Metrics Snapshot: ${at}`,
        [
          `Mean score: ${percent(entry.mean)}`,
          `Passing: ${tally(entry.passing)}`,
          `Against the baseline: ${points(entry.gain)}`,
        ],
      ]
    case 'regression-detected':
      return [
        `Regression Detected: ${at}`,
        [`Cases: ${entry.cases.join(', ')}`, `Action: ${entry.answer}`],
      ]
    case 'insight':
      return [`Insight: ${at}`, [entry.text]]
    case 'iteration-complete':
      return [
        `Iteration Complete: ${at}`,
        [`Continue: ${entry.exit === undefined ? 'yes' : `no (${entry.exit})`}`],
      ]
  }
}
