/**
 * What a plain loop passes from one iteration to the next: the last few iterations, each with the
 * results of its checks, the agent's report and the changed files.
 *
 * An iteration that changed neither files nor check results adds no entry: it replaces the last one
 * and is counted there. So a loop that is stuck differs from one in which only the agent's wording
 * changes, and the agent can be informed of it.
 */

import { plural } from '../../loop/excerpt/plural.ts'
import {
  type AgentReport,
  type CaptureLimits,
  type CheckResult,
  type CheckStatus,
  type Condition,
  defined,
  describeTodo,
  errorSignature,
  excerpt,
  keepEnd,
  type Refusal,
  type TodoList,
  type TreeId,
} from '../../loop/index.ts'
import { quote } from '../quote.ts'

export interface PlainProgress {
  /** The newest last. */
  readonly entries: readonly PlainEntry[]
  /** Consecutive iterations that changed neither files nor check results. */
  readonly unchanged: number
}

export interface PlainEntry {
  readonly iteration: number
  /** How many consecutive iterations ended like this one. */
  readonly times: number
  readonly agent: {
    readonly status: AgentReport['status']
    readonly text: string
    /** Its todo list at the end. Only in the newest entry. */
    readonly todo?: TodoList
  }
  readonly checks: readonly CheckEntry[]
  /** Absent if unknown. */
  readonly filesChanged?: readonly string[]
  readonly tree?: TreeId
  /** Why the work was not certified although the checks passed. Absent: nothing was refused. */
  readonly refusals?: readonly Refusal[]
}

export interface CheckEntry {
  readonly check: string
  readonly status: CheckStatus
  readonly exitCode?: number
  readonly durationMs: number
  /** The relevant part of its output; empty if it was met. */
  readonly output: string
}

/** The result of one iteration. */
export interface PlainResult {
  readonly iteration: number
  readonly report: AgentReport
  readonly checks: readonly CheckResult[]
  readonly filesChanged?: readonly string[]
  /** The files before and after. */
  readonly before?: TreeId
  readonly after?: TreeId
}

/**
 * Limit for the newest iteration, which is the one to act on. Older ones are cut to the configured
 * limit.
 */
const newestCharsMax = 4000
const filesMax = 50
const pathCharsMax = 300
const refusalsMax = 20
const refusalCharsMax = 4000
const findingsMax = 20

export function addResult(
  previous: PlainProgress | undefined,
  result: PlainResult,
  limits: CaptureLimits,
  refusals: readonly Refusal[] = [],
): PlainProgress {
  const entries = previous?.entries ?? []
  const last = entries.at(-1)
  const entry = toEntry(result, limits, refusals)
  if (isUnchanged(result, entry, last)) {
    const times = last === undefined ? 1 : last.times + 1
    const merged = [...entries.slice(0, -1), { ...entry, times }]
    return { entries: merged, unchanged: (previous?.unchanged ?? 0) + 1 }
  }
  const older = entries.map((one) => shortenEntry(one, limits.charsMax))
  const merged = [...older, entry]
  return { entries: merged.slice(Math.max(0, merged.length - limits.entriesMax)), unchanged: 0 }
}

const shortenEntry = (entry: PlainEntry, charsMax: number): PlainEntry => ({
  ...entry,
  agent: { status: entry.agent.status, text: keepEnd(entry.agent.text, charsMax) },
  checks: entry.checks.map((check) => ({ ...check, output: excerpt(check.output, charsMax) })),
})

function toEntry(
  result: PlainResult,
  limits: CaptureLimits,
  refusals: readonly Refusal[],
): PlainEntry {
  const charsMax = Math.max(limits.charsMax, newestCharsMax)
  const { report, filesChanged, after } = result
  return {
    iteration: result.iteration,
    times: 1,
    agent: {
      status: report.status,
      text: keepEnd(report.text.trim(), charsMax),
      ...defined({ todo: report.todo }),
    },
    checks: result.checks.map(({ check, status, exitCode, durationMs, output }) => ({
      check,
      status,
      ...defined({ exitCode }),
      durationMs,
      output: status === 'met' ? '' : excerpt(output.trim(), charsMax),
    })),
    ...(filesChanged === undefined ? {} : { filesChanged: limitPaths(filesChanged) }),
    ...defined({ tree: after }),
    ...(refusals.length === 0
      ? {}
      : { refusals: refusals.slice(0, refusalsMax).map(shortenRefusal) }),
  }
}

const shortenRefusal = (refusal: Refusal): Refusal => ({
  ...refusal,
  message: refusal.message.slice(0, refusalCharsMax),
  ...(refusal.findings === undefined
    ? {}
    : {
        findings: refusal.findings
          .slice(0, findingsMax)
          .map((one) => ({ ...one, text: one.text.slice(0, pathCharsMax) })),
      }),
})

const limitPaths = (paths: readonly string[]): readonly string[] =>
  paths.slice(0, filesMax).map((path) => path.slice(0, pathCharsMax))

/** The agent's report does not count: it is not evidence. */
function isUnchanged(
  result: PlainResult,
  entry: PlainEntry,
  last: PlainEntry | undefined,
): boolean {
  // For the first iteration only the files before it are known.
  if (last === undefined) return result.before !== undefined && result.before === result.after
  if (last.tree !== entry.tree) return false
  if (entry.tree === undefined && entry.checks.length === 0) return false
  return toFindings(last) === toFindings(entry)
}

const toSignature = (message: string): string =>
  errorSignature({ code: '', message, retryable: false })

/** Numbers and times in outputs vary between runs of a check and mean nothing. */
const toFindings = (entry: PlainEntry): string =>
  JSON.stringify([
    ...(entry.refusals ?? []).map(({ code, check, message }) => [
      code,
      check ?? null,
      toSignature(message),
    ]),
    ...entry.checks.map(({ check, status, exitCode, output }) => [
      check,
      status,
      exitCode ?? null,
      // A signature covers the start of a text; of a long line the end counts too.
      ...output.split('\n').flatMap((line) => [toSignature(line), toSignature(line.slice(-250))]),
    ]),
  ])

/**
 * Replaces `no-progress`, because progress with a counter is never the same. Other conditions stay
 * as they are.
 */
export function countUnchanged(
  condition: Condition<PlainProgress, PlainResult>,
): Condition<PlainProgress, PlainResult> {
  switch (condition.type) {
    case 'any':
    case 'all':
      return { type: condition.type, of: condition.of.map(countUnchanged) }
    case 'no-progress': {
      const { iterations } = condition
      return {
        type: 'custom',
        name: 'no-progress',
        ends: 'stuck',
        detail: `neither files nor checks changed for ${plural(iterations, 'iteration')}`,
        met: ({ unchanged }) => unchanged >= iterations,
      }
    }
    default:
      return condition
  }
}

/**
 * Progress as prompts show it: what is known from before the run, then the iterations, oldest
 * first. `failedBefore`: checks that failed on the base.
 */
export function describeProgress(
  progress: PlainProgress | undefined,
  failedBefore: readonly string[] = [],
): string {
  const before = failedBefore.map((check) => `Check ${check}: failed before the run began`)
  return [
    ...(before.length === 0 ? [] : [['## Before the run', ...before].join('\n')]),
    ...(progress?.entries ?? []).map((entry) => describeEntry(entry, failedBefore)),
  ].join('\n\n')
}

function describeEntry(entry: PlainEntry, failedBefore: readonly string[]): string {
  const { iteration, times, agent, checks, filesChanged, refusals = [] } = entry
  const lines = [`## Iteration ${iteration}`]
  if (times > 1) {
    lines.push(
      `The same for ${plural(times, 'iteration')}: neither files nor results of checks changed.`,
    )
  }
  lines.push(`The agent ended with "${agent.status}"${agent.text === '' ? '.' : ':'}`)
  if (agent.text !== '') lines.push(quote(agent.text))
  if (agent.todo !== undefined) {
    lines.push('Its todo list at the end:', quote(describeTodo(agent.todo).join('\n')))
  }
  for (const check of checks) {
    lines.push(...describeCheck(check, failedBefore.includes(check.check)))
  }
  if (filesChanged !== undefined) {
    const files = filesChanged.length === 0 ? 'none' : filesChanged.join(', ')
    lines.push(`Files changed: ${files}`)
  }
  for (const refusal of refusals) lines.push(...describeRefusal(refusal))
  return lines.join('\n')
}

function describeCheck(
  { check, status, exitCode, durationMs, output }: CheckEntry,
  failedBefore: boolean,
): string[] {
  const exit = exitCode === undefined ? '' : `, exit code ${exitCode}`
  const before = failedBefore && status !== 'met' ? ' (failed before the run began, too)' : ''
  const line = `Check ${check}: ${status}${exit}, ${(durationMs / 1000).toFixed(1)} s${before}`
  return output === '' ? [line] : [`${line}. It printed:`, quote(output)]
}

function describeRefusal({ code, check, message, findings = [] }: Refusal): string[] {
  const about = check === undefined ? '' : ` (check ${check})`
  const places = findings.map(({ text, file, line }) =>
    [file, line, text].filter((part) => part !== undefined).join(':'),
  )
  return [
    `The checks passed, but the work was not certified: ${code}${about}`,
    quote([message, ...places].join('\n')),
  ]
}
