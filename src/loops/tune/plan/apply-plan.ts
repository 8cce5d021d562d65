/** What a plan says about cases: which lead the report, and which are left out. Pure. */

import type { Workload } from '../workload/workload.ts'
import type { Plan } from './plan.ts'

/** A text: a case that the plan names and that is not there. */
export function applyPlan(workload: Workload, plan: Plan): Workload | string {
  const { cases, split } = workload
  const known = new Map(cases.flatMap(({ id, path }) => [[id, id] as const, [path, id] as const]))
  const sealed = new Set(split.holdout)
  const before = new Set(split.excluded.map(({ id }) => id))
  const named = [...plan.focus, ...plan.guards]
  const missing = named.find((id) => !known.has(id))
  if (missing !== undefined)
    return `it names the case ${missing}, which is not one of ${cases.length}`
  // Its scores would be seen before the end.
  const opened = named.find((id) => sealed.has(known.get(id) ?? ''))
  if (opened !== undefined) return `it names the case ${opened}, which is sealed until the end`
  const excluded = plan.exclusions.flatMap(({ id, reason }) => {
    const found = known.get(id)
    return found === undefined || before.has(found) ? [] : [{ id: found, reason }]
  })
  const left = new Set(excluded.map(({ id }) => id))
  const suite = split.suite.filter((id) => !left.has(id))
  if (suite.length === 0) return 'it leaves out every case'
  const toIds = (ids: readonly string[]): readonly string[] =>
    ids.flatMap((id) => {
      const found = known.get(id) ?? id
      return suite.includes(found) ? [found] : []
    })
  return {
    ...workload,
    split: {
      ...split,
      suite,
      holdout: split.holdout.filter((id) => !left.has(id)),
      focus: plan.focus.length > 0 ? toIds(plan.focus) : split.focus,
      guards: plan.guards.length > 0 ? toIds(plan.guards) : split.guards,
      excluded: [...split.excluded, ...excluded],
    },
  }
}
