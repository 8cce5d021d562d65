/** Cases that look worse after a change are run again, until each is broken, cleared, or stays suspect. */

import type { Iteration } from '../../../loop/index.ts'
import { type CaseCheck, checkCase, findSuspects } from '../statistics/case-check.ts'
import type { NoiseFloor } from '../statistics/noise-floor.ts'
import type { Incumbent } from '../tune-state.ts'
import { suiteCases, type Workload } from '../workload/workload.ts'
import { runCases } from './run-cases.ts'

export interface Regressions {
  readonly broken: readonly string[]
  /** Shown, not counted. */
  readonly suspect: readonly string[]
  readonly runs: number
}

/** The version, and the scores that it is judged by at first. */
type Measured = Pick<Incumbent, 'version' | 'scores'>

interface Sides {
  readonly before: Measured
  readonly after: Measured
  readonly iteration: number
}

const repeatsFrom = 30_000

export async function checkRegressions(
  it: Iteration,
  workload: Workload,
  noise: NoiseFloor,
  sides: Sides,
): Promise<Regressions> {
  const { before, after, iteration } = sides
  const found: { readonly broken: string[]; readonly suspect: string[] } = {
    broken: [],
    suspect: [],
  }
  let checks = findSuspects(before.scores, after.scores, noise)
  let runs = 0
  while (checks.length > 0) {
    const decided = checks.map((check) => ({ check, decision: checkCase(check, noise) }))
    for (const { check, decision } of decided) {
      if (decision.type === 'done' && decision.label !== 'cleared')
        found[decision.label].push(check.id)
    }
    const again = decided.flatMap(({ check, decision }) =>
      decision.type === 'rerun' ? [{ check, side: decision.side }] : [],
    )
    checks = await rerun(it, workload, sides, again, iteration)
    runs += again.length
  }
  return { ...found, runs }
}

async function rerun(
  it: Iteration,
  workload: Workload,
  { before, after }: Sides,
  again: readonly { readonly check: CaseCheck; readonly side: 'before' | 'after' }[],
  iteration: number,
): Promise<readonly CaseCheck[]> {
  const cases = new Map(suiteCases(workload).map((one) => [one.id, one]))
  const planned = again.flatMap(({ check, side }) => {
    const one = cases.get(check.id)
    if (one === undefined) return []
    const repeat = repeatsFrom + 100 * iteration + check.reruns + 1
    return [{ check, side, run: { case: one, repeat } }]
  })
  const versions = new Map(
    planned.map(({ run, side }) => [run, (side === 'before' ? before : after).version]),
  )
  const results = await runCases(
    it,
    workload,
    planned.map(({ run }) => run),
    (run) => ({ version: versions.get(run) ?? after.version, reuse: false }),
  )
  return planned.map(({ check, side }, at) => {
    const result = results[at]
    const score = result?.type === 'scored' ? [result.score] : []
    return { ...check, [side]: [...check[side], ...score], reruns: check.reruns + 1 }
  })
}
