/** Cases by iterations: what each iteration did to each case. Pure. */

import type { Flip, ViewedCase, ViewedMatrix } from '../../../protocol/index.ts'
import type { Flips, IterationRecord, Looping } from '../tune-state.ts'

/** The view of a large loop stays readable, and small enough to send. */
const rowsMax = 1000
const columnsMax = 50

const lists = [
  ['fixed', 'fixed'],
  ['regressed', 'regressed'],
  ['stillFailing', 'still-failing'],
  ['unchanged', 'unchanged'],
] as const

export function flipIn(flips: Flips | undefined, id: string): Flip | null {
  if (flips === undefined) return null
  return lists.find(([list]) => flips[list].includes(id))?.[1] ?? null
}

export function toMatrix(looping: Looping | undefined): ViewedMatrix {
  if (looping === undefined) {
    return { iterations: [], cases: [], leftOut: { cases: 0, iterations: 0 } }
  }
  const measured = looping.trail.filter((record) => record.measured !== undefined)
  const columns = measured.slice(-columnsMax)
  const rows = toRows(looping, columns)
  const ordered = rows.toSorted((a, b) => rankOf(a) - rankOf(b))
  return {
    iterations: columns.map(({ iteration }) => iteration),
    cases: ordered.slice(0, rowsMax),
    leftOut: {
      cases: Math.max(0, rows.length - rowsMax),
      iterations: measured.length - columns.length,
    },
  }
}

function toRows(
  { workload, baseline, incumbent }: Looping,
  columns: readonly IterationRecord[],
): readonly ViewedCase[] {
  const { suite, focus, guards } = workload.split
  const passed = new Set(baseline.passing)
  const passes = new Set(incumbent.passing)
  const scored = new Set(baseline.scores.filter((one) => one.scores.length > 0).map(({ id }) => id))
  const flaky = new Set(baseline.noise?.flaky)
  const critiques = new Map(incumbent.critiques.map(({ id, text }) => [id, text]))
  const maps = columns.map(({ measured }) => toMap(measured?.flips))
  return suite.map((id) => ({
    id,
    label: focus.includes(id) ? 'focus' : guards.includes(id) ? 'guard' : 'case',
    isFlaky: flaky.has(id),
    baseline: passed.has(id) ? 'passing' : scored.has(id) ? 'failing' : 'unscored',
    now: passes.has(id) ? 'passing' : 'failing',
    flips: maps.map((map) => map.get(id) ?? null),
    critique: critiques.get(id) ?? '',
  }))
}

const toMap = (flips: Flips | undefined): ReadonlyMap<string, Flip> =>
  new Map(
    lists.flatMap(([list, flip]) => (flips?.[list] ?? []).map((id): [string, Flip] => [id, flip])),
  )

/** Focus cases and guards lead; then what changed; then what fails. */
function rankOf({ label, flips, now }: ViewedCase): number {
  if (label === 'focus') return 0
  if (label === 'guard') return 1
  if (flips.includes('regressed')) return 2
  if (flips.includes('fixed')) return 3
  return now === 'failing' ? 4 : 5
}
