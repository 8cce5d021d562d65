/**
 * What a build passes from one iteration to the next: the sealed plan with its marks, the failures of each phase in a row,
 * and what the next prompt needs. Nothing else crosses iterations (E3), so all of it survives restarts.
 */

import {
  type AgentReport,
  type CheckResult,
  defined,
  type Finding,
  keepEnd,
  type Refusal,
  type TodoList,
} from '../../loop/index.ts'
import { addMeasurement, type Measurement } from '../context/measure.ts'
import type { Skill } from '../context/skills.ts'
import { type Choice, type Proposal, reopenTask, type SealedPlan } from './sealed-plan.ts'
import { initialWatchdog, type WatchdogState } from './watchdog.ts'

export interface BuildProgress {
  /** Absent: not drafted yet. */
  readonly plan?: SealedPlan
  /** Consecutive failures by phase. */
  readonly failures: Failures
  /** The output of the checks that failed in the last iteration. */
  readonly notes: readonly RunnerNote[]
  /** What the last review found, until one passes. */
  readonly review?: ReviewFindings
  /** Why tasks are blocked. */
  readonly blocked: readonly BlockedTask[]
  readonly proposals: readonly Proposal[]
  /** A person was asked about the proposals; it happens once. */
  readonly asked: boolean
  /** Checks that were met at the end of an iteration. */
  readonly met: readonly string[]
  readonly watchdog: WatchdogState
  /** The skills that were there when the run began. Absent: they are not used. */
  readonly skills?: readonly Skill[]
  /** The last measurements, oldest first. */
  readonly measurements?: readonly Measurement[]
  /** The last todo list that a maker reported. */
  readonly todo?: MakerTodo
  /** The last iterations, oldest first. */
  readonly entries: readonly BuildEntry[]
}

export interface MakerTodo {
  readonly iteration: number
  readonly list: TodoList
}

export interface Failures {
  readonly review: number
  readonly verification: number
  readonly draft: number
}

export interface RunnerNote {
  readonly check: string
  /** Its last lines. */
  readonly output: string
}

export interface ReviewFindings {
  readonly task: number
  readonly verdict: 'fail' | 'unclear'
  readonly reasons: readonly Finding[]
}

export interface BlockedTask {
  readonly task: number
  readonly reason: string
  /** It had its second attempt. */
  readonly retried: boolean
}

export interface BuildEntry {
  readonly iteration: number
  readonly text: string
}

/** The result of one iteration. */
export interface BuildResult {
  readonly iteration: number
  readonly choice: Choice
  /** The number of its task in `plan`. Absent: it has none, or people dropped it. */
  readonly task?: number
  /** After the iteration, before its checks are taken into account. */
  readonly plan?: SealedPlan
  readonly report?: AgentReport
  readonly review?: ReviewFindings | 'pass'
  readonly blocked?: BlockedTask
  readonly proposals: readonly Proposal[]
  readonly asked: boolean
  /** The checks that failed and count. */
  readonly failed: readonly RunnerNote[]
  readonly met: readonly string[]
  readonly watchdog: WatchdogState
  readonly skills?: readonly Skill[]
  readonly measurement?: Measurement
  /** Why a plan could not be sealed. */
  readonly draftProblem?: string
  /** A person accepted the proposals, so tasks have other numbers: the new one by the old one. */
  readonly moved?: ReadonlyMap<number, number>
}

const outputLinesMax = 120
const outputCharsMax = 12_000
const entriesMax = 5
const entryCharsMax = 600
const reasonCharsMax = 1000
const notesMax = 20
const refusalCharsMax = 4000

export const initialProgress = (plan: SealedPlan | undefined): BuildProgress => ({
  ...defined({ plan }),
  failures: { review: 0, verification: 0, draft: 0 },
  notes: [],
  blocked: [],
  proposals: [],
  asked: false,
  met: [],
  watchdog: initialWatchdog,
  entries: [],
})

/** The agent claims that it did what it was asked for. */
export const isClaim = (status: AgentReport['status']): boolean =>
  status === 'done' || status === 'done-with-concerns'

/** The last 120 lines of what a failed check printed. */
export const toNote = ({ check, output, status }: CheckResult): RunnerNote => ({
  check,
  output: keepEnd(
    output.trim().split('\n').slice(-outputLinesMax).join('\n') || status,
    outputCharsMax,
  ),
})

export function addResult(
  previous: BuildProgress,
  result: BuildResult,
  refusals: readonly Refusal[],
): BuildProgress {
  const notes = [...result.failed, ...refusals.map(fromRefusal)].slice(0, notesMax)
  const review = result.review === undefined ? moveReview(previous.review, result) : result.review
  const plan = withFailedTask(result)
  const entry = { iteration: result.iteration, text: describeResult(result, notes) }
  return {
    ...defined({ plan }),
    failures: countFailures(previous.failures, result, notes.length > 0),
    notes,
    ...(review === undefined || review === 'pass' ? {} : { review }),
    blocked: withBlocked(previous.blocked, result),
    proposals: result.proposals,
    asked: result.asked,
    met: [...new Set([...previous.met, ...result.met])],
    watchdog: result.watchdog,
    ...defined({ skills: previous.skills ?? result.skills }),
    ...defined({ todo: newestTodo(previous.todo, result) }),
    ...defined({ measurements: withMeasurement(previous.measurements, result.measurement) }),
    entries: [...previous.entries, entry].slice(-entriesMax),
  }
}

/** The findings about a task, under its new number. */
function moveReview(
  review: ReviewFindings | undefined,
  { moved }: BuildResult,
): ReviewFindings | undefined {
  if (review === undefined || moved === undefined) return review
  const task = moved.get(review.task)
  return task === undefined ? undefined : { ...review, task }
}

const newestTodo = (
  before: MakerTodo | undefined,
  { iteration, report }: BuildResult,
): MakerTodo | undefined => (report?.todo === undefined ? before : { iteration, list: report.todo })

const withMeasurement = (
  before: readonly Measurement[] | undefined,
  added: Measurement | undefined,
): readonly Measurement[] | undefined =>
  added === undefined ? before : addMeasurement(before ?? [], added)

const fromRefusal = ({ code, check, message, findings = [] }: Refusal): RunnerNote => ({
  check: `certification (${code}${check === undefined ? '' : `, ${check}`})`,
  output: [message, ...findings.map(describeFinding)].join('\n').slice(0, refusalCharsMax),
})

export const describeFinding = ({ text, file, line }: Finding): string =>
  [file, line, text].filter((part) => part !== undefined).join(':')

function withFailedTask({ plan, task, failed }: BuildResult): SealedPlan | undefined {
  if (plan === undefined || failed.length === 0 || task === undefined) return plan
  return reopenTask(plan, task)
}

function countFailures(
  before: Failures,
  { review, draftProblem, choice }: BuildResult,
  isVerificationFailed: boolean,
): Failures {
  return {
    review: review === undefined ? before.review : review === 'pass' ? 0 : before.review + 1,
    verification: isVerificationFailed ? before.verification + 1 : 0,
    draft:
      choice.kind !== 'draft' ? before.draft : draftProblem === undefined ? 0 : before.draft + 1,
  }
}

const withBlocked = (
  before: readonly BlockedTask[],
  { blocked, choice, moved }: BuildResult,
): readonly BlockedTask[] => {
  const others = before.filter(({ task }) => !('task' in choice) || task !== choice.task)
  const all = blocked === undefined ? others : [...others, blocked]
  return all.flatMap(({ task, reason, retried }) => {
    const now = moved === undefined ? task : moved.get(task)
    const shortened = keepEnd(reason.trim(), reasonCharsMax)
    return now === undefined ? [] : [{ task: now, reason: shortened, retried }]
  })
}

function describeResult(result: BuildResult, notes: readonly RunnerNote[]): string {
  const { choice, plan, task: number, report, review, draftProblem } = result
  const task = number === undefined ? undefined : plan?.tasks[number]
  const about =
    task === undefined || number === undefined ? choice.kind : `task ${number + 1}: ${task.text}`
  const reviewed =
    review === undefined ? [] : [`review: ${review === 'pass' ? 'pass' : review.verdict}`]
  const failed = notes.map(({ check }) => `failed: ${check}`)
  const parts = [
    about.slice(0, 200),
    ...(report === undefined ? [] : [`the agent ended with ${report.status}`]),
    ...reviewed,
    ...failed,
    ...(draftProblem === undefined ? [] : [draftProblem]),
  ]
  return parts.join('; ').slice(0, entryCharsMax)
}
