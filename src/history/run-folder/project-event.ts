/**
 * Projects the events of a run to its files, as a fold: what each event adds to which file. Pure; values of
 * results are loaded before.
 *
 * The state of the fold is small and serializable, so that an update can continue from it, and the same events
 * always yield the same files.
 */

import {
  defined,
  describeAgent,
  describeEnding,
  describeEvent,
  describeOutcome,
  type Json,
  type RecordedEvent,
  type RunEvent,
  type Stored,
} from '../../loop/index.ts'
import {
  type Change,
  type FileChange,
  type FoldState,
  type OpenIteration,
  reportFile,
  runLogFile,
} from './fold-state.ts'
import { taskColumns } from './project-plan.ts'
import { partOf, projectStep } from './project-step.ts'
import { oneLine, type ReportRow, reportHeader, reportLine } from './report-row.ts'
import { field } from './step-text.ts'

/** In the legacy format, an iteration of more than five minutes is long. */
const longMs = 300_000
const largeBytes = 1024 * 1024
/** Limits the number of files that are tracked, however long a run is. */
const openIterations = 3
const lineCharsMax = 4000

export interface Step {
  readonly carried: FoldState
  readonly changes: readonly FileChange[]
}

/** `result`: the value that the event refers to, if it is needed; see `neededValue`. */
export function projectEvent(
  carried: FoldState,
  { atMs, event }: RecordedEvent,
  result: Json | undefined,
): Step {
  const time = new Date(atMs).toISOString()
  const line = oneLine(describeEvent(event)).slice(0, lineCharsMax)
  const log: FileChange = { type: 'append', path: runLogFile, text: `${time} ${line}\n` }
  const { next, rows = [], changes = [] } = change(carried, event, atMs, result)
  const report = rows.map(reportLine).join('')
  const begins = event.type === 'run-created' ? reportHeader : ''
  const appended: readonly FileChange[] =
    `${begins}${report}` === ''
      ? []
      : [{ type: 'append', path: reportFile, text: `${begins}${report}` }]
  return { carried: next, changes: [log, ...changes, ...appended] }
}

/** The value that the fold needs: the input of the run, or the result of a step. */
export function neededValue(event: RunEvent): Stored | undefined {
  if (event.type === 'run-created') return event.input
  return event.type === 'step-finished' && partOf(event) !== undefined ? event.result : undefined
}

function change(
  carried: FoldState,
  event: RunEvent,
  atMs: number,
  result: Json | undefined,
): Change {
  switch (event.type) {
    case 'run-created': {
      const spec = readPath(result, 'spec') ?? event.source?.file ?? event.loop
      const plan = readPath(result, 'plan')
      const { iterations: iterationsMax } = event.limits
      const roles = defined({ roles: event.roles })
      return {
        next: { ...carried, startMs: atMs, spec, iterationsMax, ...roles, ...defined({ plan }) },
      }
    }
    case 'run-started': {
      const model = event.agent === undefined ? carried.model : describeAgent(event.agent)
      return begin({ ...carried, model }, atMs)
    }
    case 'iteration-started': {
      const { iteration } = event
      const open = { iteration, startedAtMs: atMs, exitCode: 0, bytes: 0, lines: 0, steps: {} }
      return {
        next: { ...carried, open },
        rows: [{ atMs, kind: 'ITERATION_START', iteration }],
        changes: [{ type: 'close', before: iteration - openIterations }],
      }
    }
    case 'iteration-ended':
      return endIteration(carried, event, atMs)
    case 'run-ended':
      return endRun(carried, event, atMs)
    case 'step-started':
    case 'step-finished':
    case 'step-failed':
    case 'step-noted':
      return projectStep(carried, event, atMs, result)
    default:
      return { next: carried }
  }
}

/** Adds the RUN_START row, once. */
function begin(carried: FoldState, atMs: number): Change {
  if (carried.hasBegun) return { next: carried }
  const { spec, plan = '', iterationsMax, model } = carried
  const about = `spec=${spec} plan=${plan} iterations=${iterationsMax} model=${model} mode=checks`
  const message = [about, ...describeSharedRoles(carried)].join(' ')
  return { next: { ...carried, hasBegun: true }, rows: [{ atMs, kind: 'RUN_START', message }] }
}

/** An agent that judges its own work is worth knowing, even in a fresh context. */
const describeSharedRoles = ({ roles = {} }: FoldState): readonly string[] =>
  Object.entries(roles).flatMap(([role, { sharedWith }]) =>
    sharedWith === undefined ? [] : [`${role}=same-agent-as-${sharedWith}`],
  )

/** The path of a file in the input, such as a spec. */
function readPath(input: Json | undefined, name: string): string | undefined {
  const path = field(field(input, name), 'path')
  return typeof path === 'string' ? path : undefined
}

type IterationEnded = Extract<RunEvent, { type: 'iteration-ended' }>

function endIteration(
  carried: FoldState,
  { iteration, ending }: IterationEnded,
  atMs: number,
): Change {
  const { open } = carried
  const verified = endVerify(open, atMs)
  const durationMs = atMs - (open?.startedAtMs ?? atMs)
  const exitCode =
    ending.type === 'error' ? Math.max(1, open?.exitCode ?? 1) : (open?.exitCode ?? 0)
  const { open: _open, ...rest } = carried
  const counts = ending.type !== 'rate-limited' && ending.type !== 'interrupted'
  const next: FoldState = {
    ...rest,
    ...(counts ? { ended: carried.ended + 1, endedMs: carried.endedMs + durationMs } : {}),
    lastExitCode: exitCode,
    ...defined({ lastLog: open?.log }),
    ...(ending.type === 'complete'
      ? { completedIteration: iteration, completionMode: ending.met.condition }
      : {}),
    ...(ending.type === 'error' && open?.agentFailed === true
      ? { exitReason: 'claude_failed' }
      : {}),
  }
  const output = {
    outputBytes: open?.bytes ?? 0,
    outputLines: open?.lines ?? 0,
    ...defined({ outputPath: open?.log }),
  }
  const at = { atMs, iteration, ...taskColumns(carried) }
  const message = describeEnding(ending)
  const rows: readonly ReportRow[] = [
    ...verified,
    { ...at, kind: 'ITERATION_END', durationMs, exitCode, ...output, message },
    ...(durationMs > longMs ? [{ ...at, kind: 'WARN_ITERATION_LONG', durationMs } as const] : []),
    ...(output.outputBytes > largeBytes
      ? [{ ...at, kind: 'WARN_OUTPUT_LARGE', ...output } as const]
      : []),
    ...(ending.type === 'complete'
      ? [{ ...at, kind: 'COMPLETE_DETECTED', message: `mode=${ending.met.condition}` } as const]
      : []),
  ]
  return { next, rows }
}

function endVerify(open: OpenIteration | undefined, atMs: number): readonly ReportRow[] {
  if (open?.verify === undefined) return []
  const { startedAtMs, failed } = open.verify
  const exitCode = failed === 0 ? 0 : 1
  const { iteration } = open
  return [{ atMs, kind: 'VERIFY_END', iteration, durationMs: atMs - startedAtMs, exitCode }]
}

type RunEnded = Extract<RunEvent, { type: 'run-ended' }>

function endRun(carried: FoldState, { outcome }: RunEnded, atMs: number): Change {
  const begun = begin(carried, atMs)
  const exitReason = toExitReason(outcome, carried.exitReason)
  const message = `reason=${exitReason} ${describeOutcome(outcome)}`
  const exitCode = outcome.type === 'completed' ? 0 : 1
  const row: ReportRow = {
    atMs,
    kind: 'RUN_END',
    iteration: carried.ended,
    durationMs: atMs - carried.startMs,
    exitCode,
    message,
    ...taskColumns(carried),
  }
  return {
    next: { ...begun.next, endMs: atMs, exitReason },
    rows: [...(begun.rows ?? []), row],
  }
}

function toExitReason(outcome: RunEnded['outcome'], before: string | undefined): string {
  switch (outcome.type) {
    case 'completed':
      return 'complete_plan'
    case 'exhausted':
      return outcome.limit === 'iterations' ? 'iterations_exhausted' : 'failed'
    case 'stopped':
    case 'cancelled':
      return 'canceled'
    case 'failed':
      return before ?? 'failed'
    case 'denied':
    case 'stuck':
      return 'failed'
  }
}
