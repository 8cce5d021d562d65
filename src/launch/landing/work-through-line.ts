/**
 * Works through the requests of one target branch, as the only process that does (M2):
 *
 *   what a killed process left ─▶ batch: merged in memory ─▶ certified ─▶ `merging` on disk, fence checked
 *     ─▶ the branch moves from its known commit ─▶ `merged` on disk
 *
 * L1. The target only ever points at files that are certified: those of a run with its certificate, or merged files
 *     that passed the checks of every run in the batch.
 * L2. Nothing is merged twice or lost. The planned commit is on disk before the branch moves, so the next process finds
 *     out whether it moved.
 * L3. If the branch moved meanwhile, everything is merged and certified again, a limited number of times.
 * L4. A batch that is refused is divided, so that a request is refused only for what it does alone.
 * L5. A request of another process is certified here only while that process waits, and with checks that are the same.
 */

import type { MergeChange, MergeLease, MergeRow } from '../../engine/index.ts'
import { isLoopError, type Signal, textOf } from '../../loop/index.ts'
import {
  type Candidate,
  type Landing,
  type LandingParts,
  type LandingVerdict,
  presenceOf,
  trailer,
} from './landing.ts'
import { type Batch, type MergedRow, planBatch } from './plan-batch.ts'

export interface Line extends LandingParts {
  readonly lease: MergeLease
  /** The requests of this process, by key. */
  readonly landings: ReadonlyMap<string, Landing>
  readonly signal: Signal
}

interface Round extends Line {
  /** Requests that wait in other processes, with one of this process that has the same checks. */
  readonly guests: ReadonlyMap<string, Landing>
  /** Requests that this process cannot end: their callers do. */
  readonly left: Set<string>
}

const batchMax = 8
const triesMax = 5

export async function workThroughLine(line: Line): Promise<void> {
  await reconcile(line)
  const left = new Set<string>()
  for (;;) {
    line.signal.throwIfAborted()
    const open = (await line.merges.open(line.lease)).filter(({ key }) => !left.has(key))
    const own = open.filter(({ key }) => line.landings.has(key))
    if (own.length === 0) return
    const guests = await findGuests(line, open)
    const rows = open.filter(({ key }) => line.landings.has(key) || guests.has(key))
    const batch = rows.slice(0, batchMax)
    const isOurs = batch.some(({ key }) => line.landings.has(key))
    await landRows({ ...line, guests, left }, isOurs ? batch : own.slice(0, batchMax))
  }
}

/** L5. */
async function findGuests(
  { merges, landings }: Line,
  open: readonly MergeRow[],
): Promise<ReadonlyMap<string, Landing>> {
  const byChecks = new Map([...landings.values()].map((one) => [one.checks, one]))
  const guests = new Map<string, Landing>()
  for (const row of open) {
    if (landings.has(row.key)) continue
    for (const [checks, landing] of byChecks) {
      if (await merges.isHeld(presenceOf(row, checks))) guests.set(row.key, landing)
    }
  }
  return guests
}

/** L2. */
export async function reconcile({
  merges,
  git,
  lease,
}: Pick<Line, 'merges' | 'git' | 'lease'>): Promise<void> {
  const changes: MergeChange[] = []
  const tip = await git.tip(lease.target)
  for (const { key, base, progress } of await merges.open(lease)) {
    if (progress.state !== 'merging') continue
    const { state: _state, tip: _tip, ...merged } = progress
    const isThere =
      tip !== undefined &&
      ((await git.contains(tip, progress.commit)) ||
        (await git.find(lease.target, base, trailer(key))) !== undefined)
    changes.push({
      key,
      progress: isThere ? { state: 'merged', ...merged } : { state: 'queued' },
    })
  }
  if (changes.length > 0) await merges.update(lease, changes)
}

/** Settles at least one of the requests, or leaves it. */
async function landRows(line: Round, rows: readonly MergeRow[]): Promise<void> {
  const { merges, git, lease } = line
  for (let tries = 1; tries <= triesMax; tries += 1) {
    line.signal.throwIfAborted()
    const batch = await planBatch(git, rows)
    if (batch.settled.length > 0) await merges.update(lease, batch.settled)
    if (batch.candidate === undefined) return
    const verdict = await certify(line, batch, batch.candidate)
    if (verdict.type !== 'certified') return divide(line, batch, batch.candidate, verdict)
    if (await move(line, batch, batch.candidate, verdict.certificate)) return
  }
  const reason = `Another process keeps moving the branch ${lease.target}. Stop it, then try again.`
  for (const { key } of rows) if (line.guests.has(key)) line.left.add(key)
  await merges.update(
    lease,
    rows
      .filter(({ key }) => !line.guests.has(key))
      .map(({ key }) => ({ key, progress: { state: 'failed', reason } })),
  )
}

type Verdict =
  | { readonly type: 'certified'; readonly certificate?: string }
  | Exclude<LandingVerdict, { type: 'certified' }>
  /** The checks of a request could not run. */
  | { readonly type: 'error'; readonly error: unknown }

/** L1. By the checks of every run, those that are the same once. */
async function certify(line: Round, { merged }: Batch, candidate: Candidate): Promise<Verdict> {
  const [only, ...others] = merged
  if (others.length === 0 && only?.row.tree === candidate.tree) return { type: 'certified' }
  const asked = new Set<string>()
  let last: Verdict = { type: 'refused', reason: 'Nothing vouches for the merged files.' }
  for (const { row } of merged) {
    const landing = line.landings.get(row.key) ?? line.guests.get(row.key)
    if (landing === undefined) return { type: 'error', error: new Error('The run has ended.') }
    if (asked.has(landing.checks)) continue
    asked.add(landing.checks)
    try {
      last = await landing.certify(candidate, line.signal)
    } catch (error) {
      line.signal.throwIfAborted()
      return { type: 'error', error }
    }
    if (last.type !== 'certified') return last
  }
  return last
}

/** L2. False: the branch has moved on. */
async function move(
  { merges, git, lease }: Line,
  { tip, merged }: Batch,
  { tree, commit: to }: Candidate,
  certificate: string | undefined,
): Promise<boolean> {
  const vouched = { tree, ...(certificate === undefined ? {} : { certificate }) }
  const all = (toProgress: (one: MergedRow) => MergeChange['progress']): readonly MergeChange[] =>
    merged.map((one) => ({ key: one.row.key, progress: toProgress(one) }))
  await merges.update(
    lease,
    all(({ commit }) => ({ state: 'merging', commit, tip: to, ...vouched })),
  )
  try {
    const reason = `loopwright: ${merged.map(({ row }) => row.name).join(', ')}`.slice(0, 200)
    if (await git.move(lease.target, { from: tip, to, reason })) {
      await merges.update(
        lease,
        all(({ commit }) => ({ state: 'merged', commit, ...vouched })),
      )
      return true
    }
  } catch (error) {
    // It is checked out: nothing has moved.
    if (!isLoopError(error, 'wrong-status')) throw error
    await merges.update(
      lease,
      all(() => ({ state: 'failed', reason: error.message })),
    )
    return true
  }
  await merges.update(
    lease,
    all(() => ({ state: 'queued' })),
  )
  return false
}

/** L4. */
async function divide(
  line: Round,
  { merged }: Batch,
  { tree, onto, base }: Candidate,
  verdict: Exclude<Verdict, { type: 'certified' }>,
): Promise<void> {
  const rows = merged.map(({ row }) => row)
  const [only, ...others] = rows
  if (only !== undefined && others.length === 0) {
    if (verdict.type === 'error') return reportError(line, only, verdict.error)
    // What a person sees of a refusal is for its own process to find.
    if (line.guests.has(only.key)) return void line.left.add(only.key)
    const { key, target } = only
    const reason = `Merged with ${target}, it does not pass the checks: ${verdict.reason}`
    const conflict = { files: [], onto, base, tree }
    return line.merges.update(line.lease, [
      { key, progress: { state: 'conflict', reason, conflict } },
    ])
  }
  const half = Math.ceil(rows.length / 2)
  for (const part of [rows.slice(0, half), rows.slice(half)]) await landRows(line, part)
}

/** Reports the error to the request, which ends with it. */
function reportError({ landings, left }: Round, { key }: MergeRow, error: unknown): void {
  left.add(key)
  landings.get(key)?.onError?.(error instanceof Error ? error : new Error(textOf(error)))
}
