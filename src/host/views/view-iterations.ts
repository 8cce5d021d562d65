/** The iterations of a run: what each was given, said, changed, spent, and how it ended. */

import {
  add,
  kindOf,
  type RecordedEvent,
  type RunId,
  type StepFinished,
  zero,
} from '../../loop/index.ts'
import type { IterationSummary, Page } from '../../protocol/api/index.ts'
import { fromCursor, type PageOptions, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'
import { createSpending, spendingTypes } from './spending.ts'
import { resultOf, shortened } from './step-result.ts'

type Draft = { -readonly [Key in keyof IterationSummary]: IterationSummary[Key] }

const iterationsMax = 50
const textMax = 4000
const changedMax = 200

const starts = ['iteration-started', 'iteration-restarted', 'run-rewound'] as const
const read = [...spendingTypes, 'iteration-started', 'workspace-changed'] as const

export async function viewIterations(
  source: RecordSource,
  run: RunId,
  { limit = iterationsMax, cursor }: PageOptions = {},
): Promise<Page<IterationSummary>> {
  const [fromSeq = 0] = fromCursor(cursor, 1)
  const { begun, next, rewound } = await findStarts(source, run, fromSeq, limit)
  const items: IterationSummary[] = []
  for (const [index, start] of begun.entries()) {
    const toSeq = (begun[index + 1]?.seq ?? next ?? Number.MAX_SAFE_INTEGER) - 1
    const summary = await summarize(source, run, start, toSeq)
    const undone = rewound.some(
      ({ seq, event }) =>
        seq > start.seq &&
        (event.type === 'run-rewound'
          ? event.toIteration < summary.iteration
          : event.type === 'iteration-restarted' && event.iteration === summary.iteration),
    )
    items.push({ ...summary, undone })
  }
  const last = begun.at(-1)
  return { items, ...(next !== undefined && last ? { next: toCursor(last.seq) } : {}) }
}

interface Starts {
  readonly begun: readonly RecordedEvent[]
  /** Where the one after the page starts. */
  readonly next: number | undefined
  /** Where the run went back. */
  readonly rewound: readonly RecordedEvent[]
}

/** Those that were entered for the first time; they are few beside the steps. */
async function findStarts(
  { journal }: RecordSource,
  run: RunId,
  fromSeq: number,
  limit: number,
): Promise<Starts> {
  const begun: RecordedEvent[] = []
  let after = fromSeq
  while (begun.length <= limit) {
    const events = await journal.read(run, { afterSeq: after, limit: 500, types: [starts[0]] })
    begun.push(...events.filter(isFirst))
    const last = events.at(-1)
    if (last === undefined) break
    after = last.seq
  }
  const rewound = await journal.read(run, {
    afterSeq: fromSeq,
    limit: 1000,
    types: [starts[1], starts[2]],
  })
  return { begun: begun.slice(0, limit), next: begun[limit]?.seq, rewound }
}

const isFirst = ({ event }: RecordedEvent): boolean =>
  event.type === 'iteration-started' && event.again !== true

async function summarize(
  source: RecordSource,
  run: RunId,
  start: RecordedEvent,
  toSeq: number,
): Promise<IterationSummary> {
  const { event, seq, atMs } = start
  const iteration = 'iteration' in event ? (event.iteration ?? 0) : 0
  const before = event.type === 'iteration-started' ? event.tree : undefined
  const draft: Draft = {
    iteration,
    seq,
    entered: 1,
    startedAtMs: atMs,
    undone: false,
    spent: zero,
    steps: 0,
    checks: [],
    ...(before === undefined ? {} : { before, after: before }),
  }
  const spending = createSpending()
  let after = seq
  while (after < toSeq) {
    const events = await source.journal.read(run, {
      afterSeq: after,
      toSeq,
      limit: 500,
      types: read,
    })
    for (const recorded of events) {
      for (const { type, amount } of spending.add(recorded)) {
        if (type !== 'reserved') draft.spent = add(draft.spent, amount)
      }
      await apply(source, draft, recorded)
    }
    const last = events.at(-1)
    if (last === undefined) break
    after = last.seq
  }
  return draft
}

async function apply(
  source: RecordSource,
  draft: Draft,
  { event, atMs }: RecordedEvent,
): Promise<void> {
  if ('tree' in event && event.tree !== undefined && movesFiles(event.type))
    draft.after = event.tree
  switch (event.type) {
    case 'iteration-started':
      draft.entered++
      delete draft.ending
      delete draft.endedAtMs
      return
    case 'iteration-ended':
      draft.ending = event.ending
      draft.endedAtMs = atMs
      return
    case 'step-started':
      if (event.attempt === 1) draft.steps++
      return
    case 'step-finished':
      return finished(source, draft, event)
    default:
      return
  }
}

const movesFiles = (type: RecordedEvent['event']['type']): boolean =>
  type === 'step-finished' || type === 'step-failed' || type === 'workspace-changed'

async function finished(source: RecordSource, draft: Draft, event: StepFinished): Promise<void> {
  const { evidence, step } = event
  if (evidence !== undefined) {
    draft.checks = [...draft.checks.filter(({ check }) => check !== evidence.check), evidence]
    return
  }
  const kind = kindOf(step)
  if (kind !== 'agent' && kind !== 'step') return
  const { prompt, report, names } = await resultOf(source, event)
  if (prompt !== undefined) draft.prompt ??= shortened(prompt, textMax).text
  if (report !== undefined) draft.report = shortened(report, textMax).text
  if (names !== undefined && /^changes\b/.test(step)) draft.changed = names.slice(0, changedMax)
}
