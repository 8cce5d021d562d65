/**
 * Looks for actions that turned out to be wrong: work that the local history of a branch undoes, and work on which a later
 * run of the same loop found a check failing. Nothing is fetched.
 */

import { type RunRow, readCreated } from '../../engine/index.ts'
import { viewActions } from '../../history/views/view-actions.ts'
import { defined, isLoopError, type RunId } from '../../loop/index.ts'
import type { ActionEntry, FoundEscape } from '../../protocol/api/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import { findRepository, findUndone, type Repository } from '../../workspace/index.ts'
import { lowerLevel, recordEscape } from './record-escape.ts'

export interface EscapeSearch {
  readonly loop?: string
  readonly repository?: string
  /** Only runs that are not older. Default: 90 days. */
  readonly sinceMs?: number
  /** At most so many of the newest runs. */
  readonly runsMax?: number
  readonly onProblem?: (problem: string) => void
}

type Base = Pick<HostPorts, 'journal' | 'blobs' | 'clock'>

const dayMs = 86_400_000
const pageSize = 200

/** What was found now. Actions that were marked before are looked at again, so that none is without its consequence. */
export async function findEscapes(
  base: Base,
  { loop, repository, sinceMs, runsMax = 1000, onProblem }: EscapeSearch = {},
): Promise<readonly FoundEscape[]> {
  const createdAfterMs = sinceMs ?? base.clock.now() - 90 * dayMs
  const rows = await newestRuns(base, { createdAfterMs, ...defined({ loop }) }, runsMax)
  const wanted = rows.filter((row) => repository === undefined || projectOf(row) === repository)
  const found: FoundEscape[] = []
  const around = createSurroundings(base, wanted)
  for (const row of wanted) {
    try {
      found.push(...(await findInRun(base, row, around)))
    } catch (error) {
      // A busy run is looked at the next time.
      if (isLoopError(error, 'run-busy') || isLoopError(error, 'unknown-run')) continue
      const reason = error instanceof Error ? error.message : String(error)
      onProblem?.(`Whether the work of ${row.name} was reverted is unknown: ${reason}`)
    }
  }
  return found
}

const projectOf = ({ repository, workspace }: RunRow): string | undefined => repository ?? workspace

async function newestRuns(
  { journal }: Base,
  filter: { readonly createdAfterMs: number; readonly loop?: string },
  max: number,
): Promise<readonly RunRow[]> {
  const rows: RunRow[] = []
  let before: number | undefined
  do {
    const limit = Math.min(pageSize, max - rows.length)
    const page = await journal.pageRuns({ ...filter, limit, ...defined({ before }) })
    rows.push(...page.runs)
    before = page.next
  } while (before !== undefined && rows.length < max)
  return rows
}

async function findInRun(
  base: Base,
  row: RunRow,
  around: Surroundings,
): Promise<readonly FoundEscape[]> {
  const performed = (await viewActions(base, row.id)).filter(
    ({ status }) => status === 'done' || status === 'escaped',
  )
  if (performed.length === 0) return []
  // The actions of a replay were not performed.
  if ((await readCreated(base.journal, row.id)).origin?.type === 'replay') return []
  const found: FoundEscape[] = []
  for (const entry of performed) {
    const { key, kind } = entry
    if (entry.status === 'escaped') {
      await lowerLevel(base, row, entry, { by: 'evidence' })
      continue
    }
    const reason = await findReason(base, row, entry, around)
    if (reason === undefined) continue
    await recordEscape(base, row.id, { key, reason, by: 'evidence' })
    found.push({ run: row.name, key, kind, reason })
  }
  return found
}

/** Undefined: nothing is known to be wrong with it. */
async function findReason(
  base: Base,
  row: RunRow,
  { receipt, atMs }: ActionEntry,
  around: Surroundings,
): Promise<string | undefined> {
  const { commit, target, branch } = (receipt?.details ?? {}) as Readonly<Record<string, unknown>>
  const { repository: folder } = row
  if (typeof commit !== 'string' || folder === undefined) return undefined
  const repository = await around.repository(folder)
  if (repository === undefined) return undefined
  const on = [target, branch].find((name) => typeof name === 'string')
  const undone = await findUndone(repository, {
    commit,
    ...(on === undefined ? {} : { branch: on }),
  })
  if (undone !== undefined) {
    const { how, commit: by, branch: where } = undone
    const what = how === 'restored-files' ? 'its files are as they were before' : 'it was reverted'
    return `${what}, on ${where} by ${by.slice(0, 12)}`
  }
  const later = (await around.startedOn(commit)).filter(
    ({ id, loop, createdAtMs }) => loop === row.loop && id !== row.id && createdAtMs >= atMs,
  )
  return findBroken(base, commit, later)
}

/** A later run of the loop began on exactly this commit, and a check failed there. */
async function findBroken(
  { journal }: Base,
  commit: string,
  later: readonly RunRow[],
): Promise<string | undefined> {
  for (const { id, name } of later) {
    const failing = await failingOnBase(journal, id)
    if (failing.length > 0) {
      return `${failing.join(', ')} failed on ${commit.slice(0, 12)} when ${name} began`
    }
  }
  return undefined
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

/** Each is read at most once, when it is needed. */
interface Surroundings {
  repository(folder: string): Promise<Repository | undefined>
  /** The runs whose base is this commit. */
  startedOn(commit: string): Promise<readonly RunRow[]>
}

function createSurroundings({ journal }: Base, rows: readonly RunRow[]): Surroundings {
  const repositories = new Map<string, Promise<Repository | undefined>>()
  let bases: Promise<ReadonlyMap<string, readonly RunRow[]>> | undefined
  const readBases = async (): Promise<ReadonlyMap<string, readonly RunRow[]>> => {
    const known = new Map<string, RunRow[]>()
    for (const row of rows) {
      if (row.repository === undefined) continue
      const { worktree } = await readCreated(journal, row.id)
      const commit = worktree?.base.commit ?? ''
      known.set(commit, [...(known.get(commit) ?? []), row])
    }
    return known
  }
  return {
    repository(folder) {
      const opening = repositories.get(folder) ?? findRepository(folder).catch(() => undefined)
      repositories.set(folder, opening)
      return opening
    },
    async startedOn(commit) {
      bases ??= readBases()
      return (await bases).get(commit) ?? []
    },
  }
}
