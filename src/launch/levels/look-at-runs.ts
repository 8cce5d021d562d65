/** What one look for escapes reads, each at most once, and not if an earlier look knows it. */

import { type RunRow, readCreated } from '../../engine/index.ts'
import { viewActions } from '../../history/views/view-actions.ts'
import { defined, type RunId } from '../../loop/index.ts'
import type { ActionEntry } from '../../protocol/api/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import {
  type BranchMoves,
  compareHeads,
  findRepository,
  haveAny,
  isRunBranch,
  listWorkPaths,
  type Repository,
  readHeads,
} from '../../workspace/index.ts'
import type { KnownAction, KnownRuns, KnownWork } from './known-runs.ts'

type Base = Pick<HostPorts, 'journal' | 'blobs'>

export interface RunWork extends KnownWork {
  /** Performed, and marked as wrong. */
  readonly escaped: readonly ActionEntry[]
}

export interface StartedRun {
  readonly row: RunRow
  /** The checks that failed where it began. */
  readonly failing: readonly string[]
}

export interface Branches {
  readonly repository: Repository
  /** The branches have the work of an action as when an earlier look found that it stands. */
  stillHave(row: RunRow, action: KnownAction): Promise<boolean>
}

export interface Look {
  work(row: RunRow): Promise<RunWork>
  /** Undefined: there is no such repository now. */
  branches(repository: string): Promise<Branches | undefined>
  /** The runs whose base is this commit. */
  startedOn(commit: string): Promise<readonly StartedRun[]>
  /** Whether the work of the run stands cannot be told now. */
  isUncertain(row: RunRow): undefined
  /** All actions of the run were found to stand. */
  stands(row: RunRow): void
}

export function openLook(base: Base, rows: readonly RunRow[], known: KnownRuns): Look {
  const works = new Map<string, Promise<RunWork>>()
  const opened = new Map<string, Promise<Branches | undefined>>()
  const uncertain = new Set<string>()
  let bases: Promise<ReadonlyMap<string, readonly StartedRun[]>> | undefined
  const work = (row: RunRow): Promise<RunWork> => {
    const reading = works.get(row.id) ?? readWork(base, row, known)
    works.set(row.id, reading)
    return reading
  }
  const readBases = async (): Promise<ReadonlyMap<string, readonly StartedRun[]>> => {
    const started = new Map<string, StartedRun[]>()
    for (const row of rows) {
      if (row.repository === undefined) continue
      const { base: commit, failing } = await work(row)
      if (commit !== undefined)
        started.set(commit, [...(started.get(commit) ?? []), { row, failing }])
    }
    return started
  }
  return {
    work,
    branches(repository) {
      const opening = opened.get(repository) ?? openBranches(repository, rows, known)
      opened.set(repository, opening)
      return opening
    },
    async startedOn(commit) {
      bases ??= readBases()
      return (await bases).get(commit) ?? []
    },
    isUncertain: ({ id }) => void uncertain.add(id),
    stands(row) {
      if (!uncertain.has(row.id)) known.learnStanding(row)
    },
  }
}

async function readWork(base: Base, row: RunRow, known: KnownRuns): Promise<RunWork> {
  const before = known.of(row).work
  if (before !== undefined) return { ...before, escaped: [] }
  const { origin, worktree } = await readCreated(base.journal, row.id)
  // The actions of a replay were not performed.
  const entries = origin?.type === 'replay' ? [] : await viewActions(base, row.id)
  const commit = row.repository === undefined ? undefined : worktree?.base.commit
  const found: RunWork = {
    actions: await Promise.all(
      entries.filter(({ status }) => status === 'done').map((entry) => toAction(row, entry)),
    ),
    escaped: entries.filter(({ status }) => status === 'escaped'),
    failing: commit === undefined ? [] : await failingOnBase(base.journal, row.id),
    ...defined({ base: commit }),
  }
  const { escaped, ...rest } = found
  // The level is lowered for a marked action at each look, so its run is read each time.
  if (escaped.length === 0) known.learn(row, { work: rest })
  return found
}

async function toAction(row: RunRow, entry: ActionEntry): Promise<KnownAction> {
  const { key, kind, atMs, receipt } = entry
  const details = (receipt?.details ?? {}) as Readonly<Record<string, unknown>>
  const { commit, target, branch } = details
  if (typeof commit !== 'string' || row.repository === undefined) return { key, kind, atMs }
  const on = [target, branch].find((name) => typeof name === 'string')
  return { key, kind, atMs, commit, ...(on === undefined ? {} : { on }) }
}

async function failingOnBase(
  journal: HostPorts['journal'],
  run: RunId,
): Promise<readonly string[]> {
  const events = await journal.read(run, { types: ['preflight-ended'], limit: 1 })
  return events.flatMap(({ event }) =>
    event.type === 'preflight-ended'
      ? event.checks.filter(({ answer }) => answer === 'fails').map(({ check }) => check)
      : [],
  )
}

async function openBranches(
  folder: string,
  rows: readonly RunRow[],
  known: KnownRuns,
): Promise<Branches | undefined> {
  const repository = await findRepository(folder).catch(() => undefined)
  if (repository === undefined) return undefined
  const now = await readHeads(repository).catch(() => undefined)
  if (now === undefined) return { repository, stillHave: async () => false }
  known.setHeads(folder, now)
  const before = known.heads(folder)
  const moves: BranchMoves =
    before === undefined
      ? { type: 'anything' }
      : await compareHeads(repository, before, now).catch(() => ({ type: 'anything' }) as const)
  // Whether a new branch has any of the work: asked for all of it at once.
  const standing = rows
    .filter((row) => row.repository === folder && known.of(row).stands === true)
    .flatMap((row) => known.of(row).work?.actions ?? [])
  const created = moves.type === 'grown' ? moves.created : []
  const named = new Set(standing.flatMap(({ on }) => (on === undefined ? [] : `refs/heads/${on}`)))
  const mayHaveWork =
    created.some((ref) => named.has(ref)) ||
    (await haveAny(
      repository,
      created,
      standing.flatMap(({ commit }) => commit ?? []),
    ).catch(() => true))
  return {
    repository,
    async stillHave(row, action) {
      const { commit, on, paths } = action
      if (known.of(row).stands !== true || commit === undefined) return false
      if (moves.type === 'anything' || mayHaveWork) return false
      if (on !== undefined && isRunBranch(on)) return false
      if (moves.type === 'none' || moves.touched.size === 0) return true
      const changed = paths ?? (await listWorkPaths(repository, commit))
      if (changed === undefined) return false
      if (paths === undefined) rememberPaths(known, row, { ...action, paths: changed })
      return !changed.some((path) => moves.touched.has(path))
    },
  }
}

function rememberPaths(known: KnownRuns, row: RunRow, action: KnownAction): void {
  const { work } = known.of(row)
  if (work === undefined) return
  const actions = work.actions.map((one) => (one.key === action.key ? action : one))
  known.learn(row, { work: { ...work, actions } })
}
