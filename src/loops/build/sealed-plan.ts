/**
 * The plan of a run: its tasks are sealed when the run begins, and only the engine writes their marks. What an agent
 * adds, drops or rewords is a proposal.
 */

import { type Mark, type PlanTask, parsePlan, readDetails, writeMarks } from './plan-grammar.ts'

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

/** Undefined if the text has no task. */
export function sealPlan(path: string, text: string): SealedPlan | undefined {
  const tasks = parsePlan(text)
  return tasks.length === 0 ? undefined : { path, text, tasks }
}

/** The plan that an agent drafted. Nothing is done yet, whatever its marks say. */
export function sealDraft(path: string, text: string): SealedPlan | undefined {
  const plan = sealPlan(path, text)
  if (plan === undefined) return undefined
  return { ...plan, tasks: plan.tasks.map((task) => ({ ...task, mark: 'open' })) }
}

export const renderPlan = ({ text, tasks }: SealedPlan): string => writeMarks(text, tasks)

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
    } else gaps.set(matched, [...(gaps.get(matched) ?? []), one])
  }
  return gaps
}

/** The plan with accepted proposals: new tasks at its end, dropped ones without a checkbox, reworded ones as agreed. */
export function acceptProposals(plan: SealedPlan, proposals: readonly Proposal[]): SealedPlan {
  const reworded = new Set(proposals.flatMap(({ before }) => before ?? []))
  const isReworded = (one: PlanTask): boolean =>
    reworded.has(normalize(one.text).slice(0, textCharsMax))
  // The new words were not reviewed.
  const tasks = plan.tasks.map((one) => (isReworded(one) ? { ...one, mark: 'open' as const } : one))
  const lines = renderPlan({ ...plan, tasks }).split('\n')
  const taskAt = (text: string | undefined): PlanTask | undefined =>
    plan.tasks.find((task) => normalize(task.text).slice(0, textCharsMax) === text)
  const added: string[] = []
  for (const { change, text, before } of proposals) {
    const task = taskAt(change === 'reworded' ? before : text)
    if (change === 'added') added.push(`- [ ] ${text}`)
    else if (task !== undefined) {
      const line = lines[task.line] ?? ''
      lines[task.line] =
        change === 'dropped'
          ? line.replace(/\[.\]\s+/, 'Dropped: ')
          : line.replace(task.text, () => text)
    }
  }
  const end = added.length === 0 ? [] : ['', '## Added', '', ...added, '']
  const text = [...lines, ...end].join('\n')
  const found = parsePlan(text)
  // An open block of code or a section that is not read would hide them at the end.
  const isHidden = added.length > 0 && (found.at(-1)?.line ?? -1) < lines.length
  if (!isHidden) return { path: plan.path, text, tasks: found }
  const start = ['## Added', '', ...added, '', ...lines].join('\n')
  return { path: plan.path, text: start, tasks: parsePlan(start) }
}
