/**
 * Looks for actions that turned out to be wrong: work that the local history of a branch undoes, and work on which a later
 * run of the same loop found a check failing. Nothing is fetched.
 */

import type { RunRow } from '../../engine/index.ts'
import { defined, isLoopError } from '../../loop/index.ts'
import type { FoundEscape } from '../../protocol/api/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import { findUndone } from '../../workspace/index.ts'
import { type KnownAction, type KnownRuns, nothingKnown } from './known-runs.ts'
import { type Look, openLook } from './look-at-runs.ts'
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

/**
 * What was found now. Actions that were marked before are looked at again, so that none is without its consequence. What
 * earlier looks know is not read again.
 */
export async function findEscapes(
  base: Base,
  { loop, repository, sinceMs, runsMax = 1000, onProblem }: EscapeSearch = {},
  known: KnownRuns = nothingKnown,
): Promise<readonly FoundEscape[]> {
  const createdAfterMs = sinceMs ?? base.clock.now() - 90 * dayMs
  const rows = await newestRuns(base, { createdAfterMs, ...defined({ loop }) }, runsMax)
  const wanted = rows.filter((row) => repository === undefined || projectOf(row) === repository)
  const found: FoundEscape[] = []
  const look = openLook(base, wanted, known)
  for (const row of wanted) {
    try {
      found.push(...(await findInRun(base, row, look)))
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

async function findInRun(base: Base, row: RunRow, look: Look): Promise<readonly FoundEscape[]> {
  const { actions, escaped } = await look.work(row)
  for (const entry of escaped) await lowerLevel(base, row, entry, { by: 'evidence' })
  const found: FoundEscape[] = []
  for (const action of actions) {
    const reason = await findReason(row, action, look)
    if (reason === undefined) continue
    const { key, kind } = action
    await recordEscape(base, row.id, { key, reason, by: 'evidence' })
    found.push({ run: row.name, key, kind, reason })
  }
  if (found.length === 0) look.stands(row)
  return found
}

/** Undefined: nothing is known to be wrong with it. */
async function findReason(
  row: RunRow,
  action: KnownAction,
  look: Look,
): Promise<string | undefined> {
  const { commit, on, atMs } = action
  const { repository: folder } = row
  if (commit === undefined || folder === undefined) return undefined
  const branches = await look.branches(folder)
  if (branches === undefined) return look.isUncertain(row)
  if (!(await branches.stillHave(row, action))) {
    const undone = await findUndone(branches.repository, { commit, ...defined({ branch: on }) })
    if (undone !== undefined) {
      const { how, commit: by, branch: where } = undone
      const what =
        how === 'restored-files' ? 'its files are as they were before' : 'it was reverted'
      return `${what}, on ${where} by ${by.slice(0, 12)}`
    }
  }
  const later = (await look.startedOn(commit)).filter(
    ({ row: { id, loop, createdAtMs } }) =>
      loop === row.loop && id !== row.id && createdAtMs >= atMs,
  )
  // A later run of the loop began on exactly this commit, and a check failed there.
  const broken = later.find(({ failing }) => failing.length > 0)
  if (broken === undefined) return undefined
  return `${broken.failing.join(', ')} failed on ${commit.slice(0, 12)} when ${broken.row.name} began`
}
