/** Pages of steps, one entry per attempt, in order of their start. */

import { readCreated } from '../../engine/index.ts'
import {
  add,
  defaultRoles,
  defined,
  parseStepId,
  type RecordedEvent,
  type RoleAppearances,
  type RunId,
  readPhase,
  readStep,
  type StepId,
  type StepKind,
  type StepStarted,
  zero,
} from '../../loop/index.ts'
import type { Page, Step, StepPhase } from '../../protocol/api/index.ts'
import { fromCursor, type PageOptions, pageLimit, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'
import { createSpending, type Spending, spendingTypes } from './spending.ts'
import { inlineResult, listArtifactsOf } from './step-result.ts'

type Draft = { -readonly [Key in keyof Step]: Step[Key] }

export async function viewSteps(
  { journal }: Pick<RecordSource, 'journal'>,
  run: RunId,
  { limit = pageLimit, cursor }: PageOptions = {},
): Promise<Page<Step>> {
  const [fromSeq = 0] = fromCursor(cursor, 1)
  const { roles } = await readCreated(journal, run)
  const fold = createStepFold(limit, roles ?? defaultRoles)
  let after = fromSeq
  while (true) {
    const range = { afterSeq: after, limit: 500, types: spendingTypes }
    const events = await journal.read(run, range)
    for (const recorded of events) {
      fold.add(recorded)
      if (fold.isDone()) break
    }
    const last = events.at(-1)
    if (last === undefined || fold.isDone()) break
    after = last.seq
  }
  const { items, hasMore } = fold
  const last = items.at(-1)
  return { items, ...(hasMore() && last !== undefined ? { next: toCursor(last.seq) } : {}) }
}

interface StepFold {
  readonly items: readonly Step[]
  add(recorded: RecordedEvent): void
  /** More steps started than fit into the page. */
  hasMore(): boolean
  /** No later event can change the page. */
  isDone(): boolean
}

function createStepFold(limit: number, roles: RoleAppearances): StepFold {
  const spending = createSpending()
  const items: Draft[] = []
  /** The newest attempt of each step of the iteration. */
  const newest = new Map<StepId, Draft>()
  let isMore = false

  const isOpen = ({ state }: Draft): boolean => state === 'under-way' || state === 'waiting'

  /** Open steps are interrupted by the end of the iteration, and by a crash. */
  function interruptOpen(): void {
    for (const step of newest.values()) if (isOpen(step)) step.state = 'interrupted'
  }

  function start(recorded: RecordedEvent, event: StepStarted): void {
    const before = newest.get(event.step)
    if (before !== undefined && isOpen(before)) before.state = 'interrupted'
    if (items.length === limit) {
      isMore = true
      newest.delete(event.step)
      return
    }
    const step = started(recorded, event, roles)
    items.push(step)
    newest.set(event.step, step)
  }

  return {
    items,
    hasMore: () => isMore,
    isDone: () => isMore && !items.some((step) => isOpen(step) || holds(spending, step)),
    add(recorded) {
      const { event } = recorded
      if (event.type === 'step-started') start(recorded, event)
      for (const { type, step, amount } of spending.add(recorded)) {
        const owner = step === undefined || type === 'reserved' ? undefined : newest.get(step)
        if (owner !== undefined) owner.spent = add(owner.spent, amount)
      }
      if ('step' in event) end(newest.get(event.step), recorded)
      else if (event.type !== 'budget-settled') interruptOpen()
    },
  }
}

const holds = (spending: Spending, { step }: Draft): boolean => spending.holds(step)

const started = (
  { seq, atMs }: RecordedEvent,
  event: StepStarted,
  roles: RoleAppearances,
): Draft => {
  const { iteration, step, attempt, wakeAtMs } = event
  const { kind, role } = readStep(event)
  const { name } = parseStepId(step)
  const phase = kind === 'step' ? phaseOfRole(role) : toPhase(kind, name, roles)
  return {
    seq,
    iteration,
    step,
    kind,
    name,
    ...defined({ phase }),
    attempt,
    state: wakeAtMs === undefined ? 'under-way' : 'waiting',
    startedAtMs: atMs,
    spent: zero,
    artifacts: [],
  }
}

function end(step: Draft | undefined, { event, atMs }: RecordedEvent): void {
  if (step === undefined) return
  switch (event.type) {
    case 'step-finished': {
      const { exitCode } = inlineResult(event)
      step.state = 'done'
      step.artifacts = listArtifactsOf(event, step.name)
      if (exitCode !== undefined) step.exitCode = exitCode
      if (event.evidence !== undefined) step.evidence = event.evidence
      break
    }
    case 'step-failed':
      step.state = event.retryAtMs === undefined ? 'failed' : 'retrying'
      step.fault = event.fault
      break
    case 'step-interrupted':
      step.state = 'interrupted'
      break
    default:
      return
  }
  step.endedAtMs = atMs
}

const phaseOfRole = (role: string | undefined): StepPhase | undefined =>
  role === 'watchdog' ? 'watchdog' : undefined

/** The phase of a step. The loop type declares that of its agents. */
function toPhase(kind: StepKind, name: string, roles: RoleAppearances): StepPhase | undefined {
  if (kind === 'agent') return readPhase(name, roles)
  if (kind === 'check' || kind === 'certify') return 'verification'
  return kind === 'action' && name.startsWith('merge') ? 'merge' : undefined
}
