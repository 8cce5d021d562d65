/** Pages of iterations: prompt, report, changed files, spending and end of each. */

import {
  add,
  defined,
  type RecordedEvent,
  type RunId,
  readStep,
  type StepFinished,
  zero,
} from '../../loop/index.ts'
import type { IterationSummary, Page } from '../../protocol/api/index.ts'
import { fromCursor, type PageOptions, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'
import { createSpending, spendingTypes } from './spending.ts'
import { loadResult, shorten } from './step-result.ts'

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
  const { started, next, rewound } = await findStarts(source, run, fromSeq, limit)
  const drafts = await summarize(source, run, started, next ?? Number.MAX_SAFE_INTEGER)
  const items = drafts.map((draft) => ({ ...draft, undone: isUndone(draft, rewound) }))
  const last = started.at(-1)
  return { items, ...(next !== undefined && last ? { next: toCursor(last.seq) } : {}) }
}

interface Starts {
  readonly started: readonly RecordedEvent[]
  /** The seq of the first iteration after the page. */
  readonly next: number | undefined
  /** Where the run was rewound. */
  readonly rewound: readonly RecordedEvent[]
}

/** Finds where iterations started for the first time; these events are few compared to steps. */
async function findStarts(
  { journal }: RecordSource,
  run: RunId,
  fromSeq: number,
  limit: number,
): Promise<Starts> {
  const started: RecordedEvent[] = []
  let after = fromSeq
  while (started.length <= limit) {
    const events = await journal.read(run, { afterSeq: after, limit: 500, types: [starts[0]] })
    started.push(...events.filter(isFirst))
    const last = events.at(-1)
    if (last === undefined) break
    after = last.seq
  }
  const rewound = await journal.read(run, {
    afterSeq: fromSeq,
    limit: 1000,
    types: [starts[1], starts[2]],
  })
  return { started: started.slice(0, limit), next: started[limit]?.seq, rewound }
}

const isFirst = ({ event }: RecordedEvent): boolean =>
  event.type === 'iteration-started' && event.again !== true

/** The run was rewound to before it, or restarted it. */
const isUndone = (draft: Draft, rewound: readonly RecordedEvent[]): boolean =>
  rewound.some(
    ({ seq, event }) =>
      seq > draft.seq &&
      (event.type === 'run-rewound'
        ? event.toIteration < draft.iteration
        : event.type === 'iteration-restarted' && event.iteration === draft.iteration),
  )

/** Reads all of them in one pass. */
async function summarize(
  source: RecordSource,
  run: RunId,
  started: readonly RecordedEvent[],
  endSeq: number,
): Promise<readonly Draft[]> {
  const drafts = started.map(emptyDraft)
  let spending = createSpending()
  let index = 0
  let after = started[0]?.seq ?? endSeq
  while (after < endSeq) {
    const range = { afterSeq: after, toSeq: endSeq - 1, limit: 500, types: read }
    const events = await source.journal.read(run, range)
    for (const recorded of events) {
      if (recorded.seq === started[index + 1]?.seq) {
        index++
        spending = createSpending()
        continue
      }
      const draft = drafts[index]
      if (draft === undefined) continue
      for (const { type, amount } of spending.add(recorded)) {
        if (type !== 'reserved') draft.spent = add(draft.spent, amount)
      }
      await apply(source, draft, recorded)
    }
    const last = events.at(-1)
    if (last === undefined) break
    after = last.seq
  }
  return drafts
}

function emptyDraft({ event, seq, atMs }: RecordedEvent): Draft {
  const iteration = 'iteration' in event ? (event.iteration ?? 0) : 0
  const before = event.type === 'iteration-started' ? event.tree : undefined
  return {
    iteration,
    seq,
    entered: 1,
    startedAtMs: atMs,
    undone: false,
    spent: zero,
    steps: 0,
    checks: [],
    ...defined({ before, after: before }),
  }
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
  const { evidence } = event
  if (evidence !== undefined) {
    draft.checks = [...draft.checks.filter(({ check }) => check !== evidence.check), evidence]
    return
  }
  const { kind, role } = readStep(event)
  if (kind !== 'agent' && kind !== 'step') return
  const { prompt, report, names } = await loadResult(source, event)
  if (prompt !== undefined) draft.prompt ??= shorten(prompt, textMax).text
  if (report !== undefined) draft.report = shorten(report, textMax).text
  if (names !== undefined && role === 'changes') draft.changed = names.slice(0, changedMax)
}
