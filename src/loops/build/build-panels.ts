/** The page of a build: its plan as a board, each task with its iterations, its review and the certificate. Pure. */

import type { Json } from '../../loop/index.ts'
import type { Panel, PanelCell, PanelFacts, PanelMaker } from '../../protocol/api/index.ts'
import { isJsonObject } from '../../protocol/index.ts'
import type { BuildProgress, ReviewFindings } from './build-progress.ts'
import { describeFinding } from './build-progress.ts'
import type { Mark, PlanTask } from './plan-grammar.ts'
import { isDone } from './sealed-plan.ts'

export const buildPanels: PanelMaker = {
  name: 'Plan',
  roles: ['task', 'review-prompt'],
  make: (facts) => {
    const progress = facts.state.progress as BuildProgress | undefined
    return [toBoard(facts, progress), ...proposalsOf(progress), ...todoOf(progress)]
  },
}

const lanes = ['To do', 'In progress', 'To review', 'Done', 'Blocked'] as const
type Lane = (typeof lanes)[number]

const laneOfMark: Readonly<Record<Mark, Lane>> = {
  open: 'To do',
  blocked: 'Blocked',
  implemented: 'To review',
  reviewed: 'Done',
}

/** What an iteration chose to do, as the step `task` recorded it. */
interface Chosen {
  readonly iteration: number
  readonly kind: string
  readonly task: number | undefined
  readonly text: string
  readonly total: number
}

const tasksMax = 500

function toBoard(facts: PanelFacts, progress: BuildProgress | undefined): Panel {
  const chosen = facts.results.flatMap(({ iteration, role, value }) =>
    role === 'task' ? readChosen(iteration, value) : [],
  )
  const isReviewed = facts.results.some(({ role }) => role === 'review-prompt')
  const tasks = progress?.plan?.tasks ?? []
  const done = tasks.filter((task) => isDone(task, isReviewed)).length
  const { open } = facts.state
  const current = chosen.findLast(({ iteration }) => iteration === open?.iteration)
  const rows = tasks
    .slice(0, tasksMax)
    .map((task, at) => toRow({ facts, progress, chosen, current, isReviewed }, task, at))
  return {
    type: 'table',
    title: 'Plan',
    text: describePlan(progress, current, done),
    columns: ['Task', 'State', 'Iterations', 'Review', 'Why', 'Certificate'],
    rows,
    board: {
      column: 1,
      lanes: rows.some(([, lane]) => lane === 'Blocked') ? lanes : lanes.slice(0, 4),
    },
    ...(tasks.length > tasksMax ? { leftOut: `${tasks.length - tasksMax} more tasks` } : {}),
  }
}

function describePlan(
  progress: BuildProgress | undefined,
  current: Chosen | undefined,
  done: number,
): string {
  const { plan } = progress ?? {}
  if (plan === undefined) {
    if (current !== undefined && current.kind !== 'draft')
      return `The first iteration works on "${current.text}", the first of ${current.total} tasks. The board follows when it ends.`
    return 'There is no plan yet: an agent drafts it in the first iteration.'
  }
  const counts = `${done} of ${plan.tasks.length} tasks are done. The plan is ${plan.path}; its tasks are sealed.`
  if (current?.kind === 'certify')
    return `${counts} All tasks are done; the work is being certified.`
  return counts
}

interface BoardFacts {
  readonly facts: PanelFacts
  readonly progress: BuildProgress | undefined
  readonly chosen: readonly Chosen[]
  /** Of the iteration that is open now. */
  readonly current: Chosen | undefined
  /** Tasks are reviewed; otherwise one is done once it is implemented. */
  readonly isReviewed: boolean
}

function toRow(
  { facts, progress, chosen, current, isReviewed }: BoardFacts,
  task: PlanTask,
  at: number,
): readonly PanelCell[] {
  // Accepted proposals change the numbers of tasks, so the text decides.
  const worked = chosen.filter(({ text }) => text === task.text)
  const last = worked.at(-1)
  const isCurrent = current?.text === task.text
  const { certificate } = facts.state
  const isCertified =
    isDone(task, isReviewed) && certificate !== undefined && last !== undefined
      ? last.iteration <= certificate.iteration
      : false
  const review = progress?.review?.task === at ? progress.review : undefined
  const blocked = progress?.blocked.find((one) => one.task === at)
  return [
    `${at + 1}. ${task.text}`.slice(0, textCharsMax),
    isCurrent ? 'In progress' : isDone(task, isReviewed) ? 'Done' : laneOfMark[task.mark],
    iterationsOf(worked),
    isReviewed ? reviewCell(task.mark, review) : '',
    blocked === undefined ? '' : { text: blocked.reason.slice(0, textCharsMax), tone: 'warn' },
    isCertified && certificate !== undefined
      ? { text: certificate.id.slice(0, 12), tone: 'good' }
      : '',
  ]
}

const textCharsMax = 400

function iterationsOf(worked: readonly Chosen[]): PanelCell {
  const numbers = [...new Set(worked.map(({ iteration }) => iteration))]
  const last = numbers.at(-1)
  if (last === undefined) return ''
  const shown = numbers.length > 6 ? ['…', ...numbers.slice(-6)] : numbers
  return { text: shown.join(', '), iteration: last, tone: numbers.length > 3 ? 'warn' : 'plain' }
}

function reviewCell(mark: Mark, review: ReviewFindings | undefined): PanelCell {
  if (mark === 'reviewed') return { text: 'passed', tone: 'good' }
  if (review === undefined) return mark === 'implemented' ? { text: 'waits', tone: 'muted' } : ''
  const reasons = review.reasons.map(describeFinding).join('\n').slice(0, 2000)
  const tone = review.verdict === 'fail' ? 'bad' : 'warn'
  return { text: review.verdict, tone, ...(reasons === '' ? {} : { hint: reasons }) }
}

function proposalsOf(progress: BuildProgress | undefined): readonly Panel[] {
  const proposals = progress?.proposals ?? []
  if (proposals.length === 0) return []
  return [
    {
      type: 'table',
      title: 'What agents propose to change in the plan',
      text:
        progress?.asked === true
          ? 'You were asked about them.'
          : 'You are asked about them once no sealed task is left.',
      columns: ['Change', 'Task', 'Before'],
      rows: proposals.map(({ change, text, before = '' }) => [change, text, before]),
    },
  ]
}

function todoOf(progress: BuildProgress | undefined): readonly Panel[] {
  const { todo } = progress ?? {}
  if (todo === undefined || todo.list.items.length === 0) return []
  return [
    {
      type: 'table',
      title: 'What the agent keeps as its own list',
      text: `As it reported in iteration ${todo.iteration}. A claim, not evidence.`,
      columns: ['Item', 'State'],
      rows: todo.list.items
        .slice(0, 100)
        .map(({ text, status }) => [text.slice(0, textCharsMax), status]),
    },
  ]
}

function readChosen(iteration: number, value: Json): readonly Chosen[] {
  if (!isJsonObject(value)) return []
  const { kind, task, text, total } = value
  if (typeof kind !== 'string') return []
  return [
    {
      iteration,
      kind,
      task: typeof task === 'number' ? task : undefined,
      text: typeof text === 'string' ? text : '',
      total: typeof total === 'number' ? total : 0,
    },
  ]
}
