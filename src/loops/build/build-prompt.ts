/**
 * The prompts of the maker: for a task, for a draft of the plan, and for work that was not certified. Every variable has a
 * limit, and a long plan shows only the tasks around the current one, so a prompt does not grow with the plan or the run.
 */

import { plural } from '../../loop/excerpt/plural.ts'
import {
  describeGuidance,
  describeTodo,
  type GitSummary,
  type Guidance,
  type Json,
} from '../../loop/index.ts'
import { type PromptSection } from '../prompt-sections.ts'
import { quote } from '../quote.ts'
import type { VariableShape } from '../template-variables.ts'
import type { BuildInput } from './build-input.ts'
import { type BuildProgress, describeFinding } from './build-progress.ts'
import {
  type Choice,
  countTasks,
  describeTask,
  renderPlan,
  type SealedPlan,
} from './sealed-plan.ts'

export const promptTokensMax = 60_000

const specCharsMax = 40_000
const diffCharsMax = 20_000
const notesCharsMax = 16_000
const contextCharsMax = 24_000
const windowBefore = 8
const windowAfter = 20

/** What a prompt is written from. */
export interface PromptContext {
  readonly input: BuildInput
  readonly progress: BuildProgress
  readonly planPath: string
  readonly isReviewed: boolean
}

/** What only the iteration knows. */
export interface PromptMoment {
  readonly iteration: number
  readonly choice: Choice
  readonly guidance?: readonly Guidance[]
  /** Read only if the prompt uses it. */
  readonly git?: GitSummary | undefined
  readonly contextFiles?: readonly { readonly path: string; readonly text: string }[]
  readonly skills?: string
  readonly learnings?: string
  readonly metrics?: string
}

/** Sections of the built-in prompt. The stable ones come first, so that prompt caching works. */
export const defaultPrompt: readonly PromptSection[] = [
  {
    name: 'rules',
    stable: true,
    required: true,
    text: `You build software from a specification, one task per session. Other sessions do the other tasks.

- Do the one task below completely, with its tests, and nothing else of the plan.
- The plan is in {{ plan_path }}. Do not edit it: the engine marks its tasks. If tasks should be added, dropped or changed, edit their list there; a person is asked about it at the end.
- Do not commit: the engine commits your changes. Do not weaken tests or checks.
- If you cannot do the task, say what is missing and make the last line STATUS: blocked or STATUS: needs-context.
- When you are done, answer with one sentence about what you did. If later sessions should know something that the files do not say, add a line "## Learnings" and a list of at most three short sentences.`,
  },
  {
    name: 'spec',
    stable: true,
    priority: 60,
    text: '{% if spec != "" %}## Specification ({{ spec_path }})\n\n{{ spec }}{% endif %}',
  },
  {
    name: 'context',
    stable: true,
    priority: 20,
    text: '{% if context != "" %}## Context\n\n{{ context }}{% endif %}',
  },
  {
    name: 'watchdog',
    required: true,
    text: '{% if watchdog != "" %}## Change your approach\n\n{{ watchdog }}{% endif %}',
  },
  {
    name: 'task',
    required: true,
    text: '## Your task{% if task_number != 0 %} ({{ task_number }} of {{ tasks_total }}, {{ tasks_done }} done){% endif %}\n\n{{ task }}',
  },
  {
    name: 'plan',
    priority: 50,
    text: '{% if plan != "" %}## The plan around it\n\n{{ plan }}{% endif %}',
  },
  {
    name: 'review',
    priority: 90,
    text: '{% if review != "" %}## What the review found\n\n{{ review }}{% endif %}',
  },
  {
    name: 'notes',
    priority: 80,
    keep: 'end',
    text: '{% if notes != "" %}## Runner notes\n\n{{ notes }}{% endif %}',
  },
  {
    name: 'skills',
    priority: 40,
    text: '{% if skills != "" %}## Skills\n\n{{ skills }}{% endif %}',
  },
  {
    name: 'learnings',
    priority: 30,
    text: '{% if learnings != "" %}## What earlier runs learned\n\n{{ learnings }}{% endif %}',
  },
  {
    name: 'todo',
    priority: 12,
    text: '{% if todo != "" %}## The last todo list of an agent\n\n{{ todo }}{% endif %}',
  },
  {
    name: 'metrics',
    priority: 15,
    keep: 'end',
    text: '{% if metrics != "" %}## Measurements\n\n{{ metrics }}{% endif %}',
  },
  {
    name: 'progress',
    priority: 10,
    keep: 'end',
    text: '{% if progress != "" %}## The last iterations\n\n{{ progress }}{% endif %}',
  },
]

const names = [
  'spec',
  'spec_path',
  'plan',
  'plan_path',
  'task',
  'task_number',
  'tasks_done',
  'tasks_total',
  'notes',
  'review',
  'learnings',
  'skills',
  'metrics',
  'context',
  'todo',
  'progress',
  'git_status',
  'git_diff',
  'git_log',
  'guidance',
  'iteration',
  'previous_errors',
  'watchdog',
] as const

/** The variables of the templates of a build; docs/build.md says what they mean. */
export const promptVariables: VariableShape = {
  parts: Object.fromEntries(names.map((name) => [name, 'value'])),
}

export function toValues(
  { input, progress, planPath, isReviewed }: PromptContext,
  moment: PromptMoment,
): Readonly<Record<(typeof names)[number], Json>> {
  const { iteration, choice, guidance = [], git, contextFiles = [] } = moment
  const { plan, watchdog } = progress
  const { done, total } = countTasks(plan, isReviewed)
  const task = 'task' in choice ? choice.task : undefined
  const notes = describeNotes(progress)
  const review = describeReview(progress, task)
  return {
    spec: cut(input.spec?.text ?? '', specCharsMax, input.spec?.path),
    spec_path: input.spec?.path ?? '',
    plan: plan === undefined ? '' : windowOf(plan, task ?? total),
    plan_path: planPath,
    task: describeChoice(choice, plan, planPath, progress),
    task_number: task === undefined ? 0 : task + 1,
    tasks_done: done,
    tasks_total: total,
    notes,
    review,
    learnings: moment.learnings ?? '',
    skills: moment.skills ?? '',
    metrics: moment.metrics ?? '',
    context: cut(
      contextFiles.map(({ path, text }) => `### ${path}\n\n${text.trim()}`).join('\n\n'),
      contextCharsMax,
    ),
    todo: describeLastTodo(progress),
    progress: progress.entries.map((one) => `Iteration ${one.iteration}: ${one.text}`).join('\n'),
    git_status: git?.status ?? '',
    git_diff: cut(git?.diff ?? '', diffCharsMax),
    git_log: git?.log ?? '',
    guidance: guidance.length === 0 ? '' : describeGuidance(guidance),
    iteration,
    previous_errors: [review, notes].filter((one) => one !== '').join('\n\n'),
    watchdog: watchdog.intervention?.text ?? '',
  }
}

function describeChoice(
  choice: Choice,
  plan: SealedPlan | undefined,
  planPath: string,
  { blocked }: BuildProgress,
): string {
  switch (choice.kind) {
    case 'draft':
      return `Write the plan for the specification to ${planPath}: a Markdown list of tasks, each a line "- [ ] <task>", in the order in which they are to be done. Each task is small enough for one session, can be verified, and leaves the checks passing. Read what you need, and change no other file: other changes are discarded.`
    case 'certify':
      return 'All tasks of the plan are done, but the work is not certified yet. Fix what the runner notes below name, and nothing else.'
    case 'implement':
    case 'retry':
    case 'review': {
      const text = plan === undefined ? '' : describeTask(plan, choice.task)
      const reason = blocked.find(({ task }) => task === choice.task)?.reason
      return reason === undefined
        ? text
        : `${text}\n\nAn earlier attempt reported that it is blocked. Try once more; its report was:\n${quote(reason)}`
    }
  }
}

/** The tasks around the current one, and how many are left out. */
export function windowOf(plan: SealedPlan, current: number): string {
  const lines = renderPlan(plan).split('\n')
  const from = Math.max(0, current - windowBefore)
  const to = Math.min(plan.tasks.length, current + windowAfter)
  const shown = plan.tasks.slice(from, to).map(({ line }, index) => {
    const here = from + index === current ? '  <- your task' : ''
    return `${(lines[line] ?? '').trimEnd().slice(0, 300)}${here}`
  })
  return [
    ...(from > 0 ? [`[${plural(from, 'task')} before]`] : []),
    ...shown,
    ...(to < plan.tasks.length ? [`[${plural(plan.tasks.length - to, 'task')} after]`] : []),
  ].join('\n')
}

/** Of any task: the current one may have begun in the same session. */
const describeLastTodo = ({ todo }: BuildProgress): string =>
  todo === undefined
    ? ''
    : `In iteration ${todo.iteration}, it ended with:\n${quote(describeTodo(todo.list).join('\n'))}`

const describeNotes = ({ notes }: BuildProgress): string =>
  cutStart(
    notes.map(({ check, output }) => `${check} failed:\n${quote(output)}`).join('\n\n'),
    notesCharsMax,
  )

/** Only what was found about the current task. */
function describeReview({ review }: BuildProgress, task: number | undefined): string {
  if (review === undefined || (task !== undefined && review.task !== task)) return ''
  return review.reasons.map((one) => quote(describeFinding(one))).join('\n')
}

const cut = (text: string, charsMax: number, path?: string): string =>
  text.length <= charsMax
    ? text
    : `${text.slice(0, charsMax)}\n[cut${path === undefined ? '' : `: the rest is in ${path}`}]`

const cutStart = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `[cut]\n${text.slice(-charsMax)}`
