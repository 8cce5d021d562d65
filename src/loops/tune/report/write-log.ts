/**
 * Writes entries as the sections of `LOOP_LOG.md`. Each section has the entry itself in a comment, as JSON on one line that can end no
 * comment: `parseLog` reads only that. The text below it is for people, and none of its lines can start a section or a comment. Pure.
 */

import type { LogEntry } from './log-entry.ts'
import { percent, points, tally } from './numbers.ts'
import { oneLine } from './one-line.ts'

export const entryMark = '<!-- loop-entry '
export const entryEnd = ' -->'

const bullets = (lines: readonly string[]): string =>
  lines.map((line) => `- ${oneLine(line)}`).join('\n')

export function writeEntry(entry: LogEntry): string {
  const [title, lines] = describe(entry)
  const { atMs } = entry
  const time = atMs === undefined ? '' : `[${writeTime(atMs)}] `
  return `## ${time}${oneLine(title)}\n\n${entryMark}${toComment(entry)}${entryEnd}\n\n${bullets(lines)}\n`
}

export const writeLog = (entries: readonly LogEntry[]): string =>
  `# Loop log\n\n${entries.map(writeEntry).join('\n')}`

/** Without `<`, `>`, `&` and line breaks, so that it is one line of one comment. */
const toComment = (entry: LogEntry): string =>
  JSON.stringify(entry).replaceAll(
    /[<>&\u0085\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** `2026-11-20 08:15:00`, UTC. */
function writeTime(atMs: number): string {
  const date = new Date(atMs)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 19).replace('T', ' ')
}

function describe(entry: LogEntry): readonly [title: string, lines: readonly string[]] {
  switch (entry.type) {
    case 'session-started':
    case 'interaction':
    case 'plan':
      return describeStart(entry)
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

type StartEntry = Extract<LogEntry, { type: 'session-started' | 'interaction' | 'plan' }>

function describeStart(entry: StartEntry): readonly [string, readonly string[]] {
  switch (entry.type) {
    case 'session-started':
      return [
        'Session Started',
        [
          `Workload: ${entry.workload}`,
          `Manifest: ${entry.manifest} (${entry.manifestDigest})`,
          `Mode: ${entry.mode}`,
          `Cases: ${entry.cases.join(', ') || 'all'}`,
        ],
      ]
    case 'interaction':
      return [
        `Interaction: ${entry.question}`,
        [`Question: ${entry.text}`, `Answer: ${entry.answer}`, `By: ${entry.by}`],
      ]
    case 'plan':
      return [
        'Plan',
        [
          `Problem: ${entry.plan.problem}`,
          ...entry.plan.hypotheses.map(({ statement }, at) => `Hypothesis ${at + 1}: ${statement}`),
          `Approved by: ${entry.by}`,
        ],
      ]
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
    type:
      | 'iteration-result'
      | 'metrics'
      | 'regression-detected'
      | 'insight'
      | 'parking-lot'
      | 'block'
      | 'iteration-complete'
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
    case 'parking-lot':
      return [`Parking Lot: ${at}`, [entry.text]]
    case 'block':
      return [`Block/Friction: ${at}`, [entry.text]]
    case 'iteration-complete':
      return [
        `Iteration Complete: ${at}`,
        [`Continue: ${entry.exit === undefined ? 'yes' : `no (${entry.exit})`}`],
      ]
  }
}
