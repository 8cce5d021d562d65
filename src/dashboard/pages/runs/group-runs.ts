/** Runs by repository or by loop, with what each group adds up to. Groups with active runs come first. */

import type { RunSummary } from '../../../client/browser.ts'
import { type Grouping, isInView } from './run-filter.ts'

export type ListRow =
  | { readonly type: 'run'; readonly item: RunSummary }
  | {
      readonly type: 'group'
      readonly name: string
      readonly runs: number
      readonly active: number
      readonly needs: number
      readonly costMicros: number
    }

const keyOf = ({ run }: RunSummary, by: Grouping): string =>
  by === 'loop' ? run.loop : (run.repository ?? run.workspace ?? 'Without a folder')

export function groupRuns(items: readonly RunSummary[], by: Grouping): readonly ListRow[] {
  if (by === 'none') return items.map((item) => ({ type: 'run', item }))
  const groups = new Map<string, RunSummary[]>()
  for (const item of items) {
    const key = keyOf(item, by)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [item])
    else known.push(item)
  }
  const countIn = (all: readonly RunSummary[], view: 'active' | 'needs'): number =>
    all.filter((item) => isInView(item, view)).length
  return [...groups]
    .map(([name, all]) => ({ name, all, active: countIn(all, 'active') }))
    .toSorted((a, b) => Math.sign(b.active) - Math.sign(a.active) || (a.name < b.name ? -1 : 1))
    .flatMap(({ name, all, active }): readonly ListRow[] => [
      {
        type: 'group',
        name,
        runs: all.length,
        active,
        needs: countIn(all, 'needs'),
        costMicros: all.reduce((sum, { spent }) => sum + spent.costMicros, 0),
      },
      ...all.map((item) => ({ type: 'run' as const, item })),
    ])
}
