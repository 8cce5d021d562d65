/** The panels of a run: made by its loop type from what happened, or the result of the last step with the role `panels`. */

import { type Blobs, load, loadRun, questionsOf } from '../../engine/index.ts'
import {
  type Json,
  type RecordedEvent,
  type RunId,
  type StepFinished,
  textOf,
} from '../../loop/index.ts'
import {
  type PanelMaker,
  panelsRole,
  type RoleResult,
  type RunPanels,
  readPanels,
} from '../../protocol/api/index.ts'
import { createRecentMap, type RecentMap } from '../../system/recent-map.ts'
import type { RecordSource } from './record-source.ts'

type Source = Pick<RecordSource, 'journal'> & { readonly blobs: Blobs }

const pageSize = 1000
const resultsMax = 2000
/** A larger result is not read. */
const loadBytesMax = 8 * 1024 * 1024

export async function viewPanels(
  source: Source,
  run: RunId,
  findMaker: (loopType: string | undefined) => PanelMaker | undefined,
): Promise<RunPanels> {
  const loaded = await loadRun(source.journal, run)
  const maker = findMaker(loaded.created.loopType)
  const { steps, own } = await readRoles(source, run, maker?.roles ?? [])
  const shown = own === undefined ? nothing : await readOwn(source, own)
  if (maker === undefined) return { name: panelsName, ...shown }
  const results = await loadResults(source, steps)
  const questions = await questionsOf(source.journal, run, loaded)
  const made = makeSafely(maker, { state: loaded.state, questions, results })
  return {
    name: maker.name,
    items: [...made.items, ...shown.items],
    problems: [...made.problems, ...shown.problems],
  }
}

type ReadPanels = Omit<RunPanels, 'name'>

const panelsName = 'Results'
const nothing: ReadPanels = { items: [], problems: [] }

/** The state of a run of an earlier version may have another shape: its page must not fail because of it. */
function makeSafely(maker: PanelMaker, facts: Parameters<PanelMaker['make']>[0]): ReadPanels {
  try {
    return readPanels(maker.make(facts))
  } catch (error) {
    const why = textOf(error) ?? 'unknown'
    return { items: [], problems: [`The panels could not be made: ${why.slice(0, 300)}`] }
  }
}

type RoleStep = StepFinished & { readonly role: string }

interface RoleSteps {
  readonly steps: RoleStep[]
  /** The last one with the role `panels`. */
  readonly own: RoleStep | undefined
}

/** The results with these roles that are not undone. */
async function readRoles(
  { journal }: Source,
  run: RunId,
  roles: readonly string[],
): Promise<RoleSteps> {
  const key = [run, ...roles].join(' ')
  const scans = scansOf(journal)
  const before = scans.get(key)
  // Copied: another request may read the same events at the same time.
  let found: RoleSteps = { steps: [...(before?.found.steps ?? [])], own: before?.found.own }
  let afterSeq = before?.afterSeq ?? 0
  for (;;) {
    const events = await journal.read(run, {
      afterSeq,
      limit: pageSize,
      types: ['step-finished', 'run-rewound', 'iteration-restarted'],
    })
    for (const recorded of events) found = apply(found, recorded, roles)
    afterSeq = events.at(-1)?.seq ?? afterSeq
    if (events.length < pageSize) break
  }
  scans.set(key, { found, afterSeq })
  return found
}

/** What was read before: a page that is open reads the panels again with each change. */
interface Scan {
  readonly found: RoleSteps
  readonly afterSeq: number
}

const scansMax = 20
const known = new WeakMap<Source['journal'], RecentMap<string, Scan>>()

function scansOf(journal: Source['journal']): RecentMap<string, Scan> {
  const scans = known.get(journal) ?? createRecentMap<string, Scan>(scansMax)
  known.set(journal, scans)
  return scans
}

function apply(found: RoleSteps, { event }: RecordedEvent, roles: readonly string[]): RoleSteps {
  switch (event.type) {
    case 'step-finished': {
      const { role } = event
      if (role === panelsRole) return { ...found, own: { ...event, role } }
      if (role === undefined || !roles.includes(role)) return found
      found.steps.push({ ...event, role })
      if (found.steps.length > resultsMax) found.steps.shift()
      return found
    }
    case 'run-rewound':
      return keep(found, ({ iteration }) => iteration <= event.toIteration)
    case 'iteration-restarted':
      return keep(found, ({ iteration }) => iteration !== event.iteration)
    default:
      return found
  }
}

const keep = ({ steps, own }: RoleSteps, isKept: (step: RoleStep) => boolean): RoleSteps => ({
  steps: steps.filter(isKept),
  own: own !== undefined && isKept(own) ? own : undefined,
})

async function readOwn({ blobs }: Source, { result }: RoleStep): Promise<ReadPanels> {
  if (result !== undefined && 'blob' in result && result.bytes > loadBytesMax) {
    return { items: [], problems: ['The panels are larger than 8 MB.'] }
  }
  // Its content may have been deleted.
  return readPanels(await load(result, blobs).catch(() => undefined))
}

async function loadResults(
  { blobs }: Source,
  steps: readonly RoleStep[],
): Promise<readonly RoleResult[]> {
  const results: RoleResult[] = []
  for (const { iteration, role, result } of steps) {
    if (result !== undefined && 'blob' in result && result.bytes > loadBytesMax) continue
    const value: Json | undefined = await load(result, blobs).catch(() => undefined)
    if (value !== undefined) results.push({ iteration, role, value })
  }
  return results
}
