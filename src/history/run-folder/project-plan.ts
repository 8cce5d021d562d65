/** Projects the steps of a loop type that works on a plan: its tasks, the hints of agents, and rewritten prompts. */

import type { Json } from '../../loop/index.ts'
import { promptFile, reviewPromptFile, rewriteFile } from './file-names.ts'
import type { Change, FoldState } from './fold-state.ts'
import type { ReportRow } from './report-row.ts'
import { field, readPrompt } from './step-text.ts'

/** Roles of steps, each with what it adds to the files. */
const planRoles = {
  task: 'plan',
  plan: 'plan',
  'plan-file': 'plan',
  watchdog: 'watchdog',
  'review-prompt': 'review-prompt',
} as const

export type PlanPart = (typeof planRoles)[keyof typeof planRoles]

export const planPartOf = (role: string | undefined): PlanPart | undefined =>
  role !== undefined && Object.hasOwn(planRoles, role)
    ? planRoles[role as keyof typeof planRoles]
    : undefined

interface PlanStep {
  readonly part: PlanPart
  readonly iteration: number
  readonly atMs: number
  readonly result: Json | undefined
}

export function projectPlan(carried: FoldState, step: PlanStep): Change {
  switch (step.part) {
    case 'plan':
      return projectTasks(carried, step)
    case 'watchdog':
      return projectRewrite(carried, step)
    case 'review-prompt': {
      const text = readPrompt(step.result)
      if (text === undefined) return { next: carried }
      const path = reviewPromptFile(step.iteration)
      return { next: carried, changes: [{ type: 'put', path, text }] }
    }
  }
}

/** The hint of an agent that everything is done is recorded; nothing ends because of it. */
function projectTasks(carried: FoldState, { iteration, atMs, result }: PlanStep): Change {
  const done = field(result, 'done')
  const total = field(result, 'total')
  const counts = typeof done === 'number' && typeof total === 'number'
  const next = counts ? { ...carried, tasks: { done, total } } : carried
  const at = { atMs, iteration, ...taskColumns(next) }
  const pending = field(result, 'pending')
  const mode = textOf(result, 'mode')
  switch (field(result, 'hint')) {
    case 'complete':
      return {
        next,
        rows: [
          { ...at, kind: 'COMPLETE_DETECTED', message: `mode=${mode}` },
          ...warnPending(at, pending),
        ],
      }
    case 'malformed':
      return { next, rows: [{ ...at, kind: 'WARN_MALFORMED_COMPLETE', message: `mode=${mode}` }] }
    default:
      return { next }
  }
}

const textOf = (result: Json | undefined, name: string): string => {
  const value = field(result, name)
  return typeof value === 'string' ? value : ''
}

const warnPending = (
  at: Pick<ReportRow, 'atMs' | 'iteration'>,
  pending: Json | undefined,
): readonly ReportRow[] =>
  typeof pending === 'number' && pending > 0
    ? [{ ...at, kind: 'WARN_COMPLETE_WITH_PENDING', message: `pending=${pending}` }]
    : []

function projectRewrite(carried: FoldState, { iteration, atMs, result }: PlanStep): Change {
  const number = field(result, 'rewrite')
  const text = readPrompt(result)
  if (typeof number !== 'number' || text === undefined) return { next: carried }
  const path = rewriteFile(number)
  const signal = textOf(result, 'signal')
  const message = `signal=${signal} prompt_before=${promptFile(iteration)} prompt_after=${path}`
  return {
    next: carried,
    changes: [{ type: 'put', path, text }],
    rows: [
      {
        atMs,
        kind: 'WATCHDOG_REWRITE',
        iteration,
        outputPath: path,
        message,
        ...taskColumns(carried),
      },
    ],
  }
}

/** The columns about tasks. */
export const taskColumns = ({
  tasks,
}: Pick<FoldState, 'tasks'>): Pick<ReportRow, 'tasksDone' | 'tasksTotal'> =>
  tasks === undefined ? {} : { tasksDone: tasks.done, tasksTotal: tasks.total }
