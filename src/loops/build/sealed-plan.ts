/**
 * The plan of a run: its tasks are sealed when the run begins, and only the engine writes their marks. What an agent
 * adds, drops or rewords is a proposal.
 */

import {
  type Mark,
  type PlanTask,
  parsePlan,
  readDetails,
  tasksMax,
  withTaskText,
  writeMarks,
} from './plan-grammar.ts'

export interface SealedPlan {
  /** From the root of the workspace. */
  readonly path: string
  /** The text that was sealed. Its marks are replaced by those of the tasks. */
  readonly text: string
  readonly tasks: readonly PlanTask[]
}

export interface Proposal {
  readonly change: 'added' | 'dropped' | 'reworded'
  readonly text: string
  /** What it was before it was reworded. */
  readonly before?: string
}

/** What an iteration works on. */
export type Choice =
  | { readonly kind: 'implement' | 'review' | 'retry'; readonly task: number }
  /** Everything is done, but the work is not certified yet. */
  | { readonly kind: 'certify' }
  | { readonly kind: 'draft' }

/** Undefined if the text has no task, or too many. */
export function sealPlan(path: string, text: string): SealedPlan | undefined {
  const tasks = parsePlan(text)
  return tasks.length === 0 || tasks.length > tasksMax ? undefined : { path, text, tasks }
}

/** The plan that an agent drafted. Nothing is done yet, whatever its marks say. */
export function sealDraft(path: string, text: string): SealedPlan | undefined {
  const plan = sealPlan(path, text)
  if (plan === undefined) return undefined
  return { ...plan, tasks: plan.tasks.map((task) => ({ ...task, mark: 'open' })) }
}

export const renderPlan = ({ text, tasks }: SealedPlan): string => writeMarks(text, tasks)

/** A task whose checks fail is open again, unless it is blocked. */
export const reopenTask = (plan: SealedPlan, task: number): SealedPlan =>
  plan.tasks[task]?.mark === 'blocked' ? plan : withMark(plan, task, 'open')

export function withMark(plan: SealedPlan, task: number, mark: Mark): SealedPlan {
  const tasks = plan.tasks.map((one, index) => (index === task ? { ...one, mark } : one))
  return { ...plan, tasks }
}

/** With a review, a task is done once it was reviewed; without, once it is implemented. */
export const isDone = ({ mark }: Pick<PlanTask, 'mark'>, isReviewed: boolean): boolean =>
  mark === 'reviewed' || (mark === 'implemented' && !isReviewed)

export interface PlanCounts {
  readonly done: number
  readonly total: number
}

export const countTasks = (plan: SealedPlan | undefined, isReviewed: boolean): PlanCounts => ({
  done: plan?.tasks.filter((task) => isDone(task, isReviewed)).length ?? 0,
  total: plan?.tasks.length ?? 0,
})

export const isComplete = (plan: SealedPlan | undefined, isReviewed: boolean): boolean =>
  plan !== undefined && plan.tasks.every((task) => isDone(task, isReviewed))

/**
 * The first task that is open or awaits its review; then each blocked one that had no second attempt. If all had one, the
 * run would have ended, unless a person wants it to continue: then the first of them.
 */
export function chooseTask(
  plan: SealedPlan | undefined,
  isReviewed: boolean,
  retried: readonly number[],
): Choice {
  if (plan === undefined) return { kind: 'draft' }
  const task = plan.tasks.findIndex((one) => one.mark !== 'blocked' && !isDone(one, isReviewed))
  if (task !== -1) {
    return { kind: plan.tasks[task]?.mark === 'implemented' ? 'review' : 'implement', task }
  }
  const blocked = plan.tasks.flatMap(({ mark }, index) => (mark === 'blocked' ? [index] : []))
  const next = blocked.find((index) => !retried.includes(index)) ?? blocked[0]
  return next === undefined ? { kind: 'certify' } : { kind: 'retry', task: next }
}

/** A task with the lines below it. */
export function describeTask(plan: SealedPlan, task: number): string {
  const found = plan.tasks[task]
  if (found === undefined) return ''
  const details = readDetails(plan.text, found)
  return details === '' ? found.text : `${found.text}\n${details}`
}

const proposalsMax = 50
const textCharsMax = 500
const normalize = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** How the tasks of a text differ from the sealed ones. Marks do not count: only the engine writes them. */
export function findProposals(
  { tasks }: SealedPlan,
  text: string | undefined,
): readonly Proposal[] {
  const sealed = tasks.map((task) => normalize(task.text))
  const found = text === undefined ? [] : parsePlan(text).map((task) => normalize(task.text))
  const dropped = unmatched(sealed, found)
  const added = unmatched(found, sealed)
  const proposals: Proposal[] = []
  for (const [gap, texts] of dropped) {
    for (const before of texts) {
      const after = added.get(gap)?.shift()
      proposals.push(
        after === undefined
          ? { change: 'dropped', text: before }
          : { change: 'reworded', text: after, before },
      )
    }
  }
  for (const texts of added.values())
    proposals.push(...texts.map((one): Proposal => ({ change: 'added', text: one })))
  return proposals.slice(0, proposalsMax).map(shorten)
}

const shorten = ({ change, text, before }: Proposal): Proposal => ({
  change,
  text: text.slice(0, textCharsMax),
  ...(before === undefined ? {} : { before: before.slice(0, textCharsMax) }),
})

/** The texts that the other list lacks, by the number of matching texts before them. */
function unmatched(texts: readonly string[], others: readonly string[]): Map<number, string[]> {
  const left = new Map<string, number>()
  for (const one of others) left.set(one, (left.get(one) ?? 0) + 1)
  const gaps = new Map<number, string[]>()
  let matched = 0
  for (const one of texts) {
    const count = left.get(one) ?? 0
    if (count > 0) {
      left.set(one, count - 1)
      matched += 1
    } else {
      const gap = gaps.get(matched) ?? []
      gap.push(one)
      gaps.set(matched, gap)
    }
  }
  return gaps
}

export interface AgreedPlan {
  readonly plan: SealedPlan
  /** The new number of each task by its old one. Dropped tasks have none. */
  readonly moved: ReadonlyMap<number, number>
}

/** The plan with accepted proposals: new tasks at its end, dropped ones without a checkbox, reworded ones as agreed. */
export function acceptProposals(plan: SealedPlan, proposals: readonly Proposal[]): AgreedPlan {
  const find = findTasks(plan)
  const changes = proposals.flatMap((one) => {
    const index = one.change === 'added' ? undefined : find(one.before ?? one.text)
    return index === undefined ? [] : [[index, one] as const]
  })
  const reworded = new Set(
    changes.flatMap(([index, { change }]) => (change === 'reworded' ? index : [])),
  )
  // The new words were not reviewed.
  const tasks = plan.tasks.map((one, index) =>
    reworded.has(index) ? { ...one, mark: 'open' as const } : one,
  )
  const lines = renderPlan({ ...plan, tasks }).split('\n')
  for (const [index, { change, text }] of changes) {
    const at = plan.tasks[index]?.line ?? 0
    const line = lines[at] ?? ''
    lines[at] =
      change === 'dropped' ? line.replace(/\[.\]\s+/, 'Dropped: ') : withTaskText(line, text)
  }
  const added = proposals.flatMap(({ change, text }) => (change === 'added' ? `- [ ] ${text}` : []))
  const end = added.length === 0 ? [] : ['', '## Added', '', ...added, '']
  const atEnd = toAgreed(plan, [...lines, ...end], 0)
  // An open block of code or a section that is not read would hide them at the end.
  const isHidden = added.length > 0 && (atEnd.plan.tasks.at(-1)?.line ?? -1) < lines.length
  if (!isHidden) return atEnd
  const start = ['## Added', '', ...added, '']
  return toAgreed(plan, [...start, ...lines], start.length)
}

/** Finds tasks by the text of proposals, each once. Of equal ones the last: the others have counterparts. */
function findTasks({ tasks }: SealedPlan): (text: string) => number | undefined {
  const left = new Map<string, number[]>()
  for (const [index, task] of tasks.entries()) {
    const text = normalize(task.text).slice(0, textCharsMax)
    left.set(text, [...(left.get(text) ?? []), index])
  }
  return (text) => left.get(text)?.pop()
}

/** Accepted proposals change no line breaks, so tasks are known by their lines. */
function toAgreed(
  { path, tasks }: SealedPlan,
  lines: readonly string[],
  offset: number,
): AgreedPlan {
  const text = lines.join('\n')
  const found = parsePlan(text)
  const byLine = new Map(found.map(({ line }, index) => [line, index]))
  const moved = tasks.flatMap(({ line }, index): (readonly [number, number])[] => {
    const now = byLine.get(line + offset)
    return now === undefined ? [] : [[index, now]]
  })
  return { plan: { path, text, tasks: found }, moved: new Map(moved) }
}
