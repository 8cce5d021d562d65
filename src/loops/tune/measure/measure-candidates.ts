/**
 * Measures candidates against the incumbent, look by look, and stops as soon as one is clearly worse. Several are raced. It
 * decides whether one is kept: "kept, not proven". No claim is made here.
 */

import type { Iteration } from '../../../loop/index.ts'
import { casesForLook, decideCandidate, type Look } from '../statistics/candidate.ts'
import { decideRace } from '../statistics/race.ts'
import { randomFrom, shuffle } from '../statistics/random.ts'
import type { Candidate, Flips, Incumbent, Looping, MeasuredOption } from '../tune-state.ts'
import { suiteCases } from '../workload/workload.ts'
import type { CaseResult } from './run-case.ts'
import { infrastructureOf, passingOf, runCases, toCritiques, toScores } from './run-cases.ts'

export interface MeasuredCandidates {
  readonly options: readonly MeasuredOption[]
  /** Absent: none was kept. */
  readonly kept?: Incumbent
  readonly flips: Flips
  readonly runs: number
  readonly infrastructure: readonly string[]
}

/** Results of a candidate are reused, so that a fork of a run does not pay for them again. */
const repeatsFrom = 10_000

const looks: readonly Look[] = ['first-third', 'second-third', 'first-pass', 'second-pass']

export async function measureCandidates(
  it: Iteration,
  looping: Looping,
  iteration: number,
): Promise<MeasuredCandidates> {
  const { workload, incumbent, candidates } = looping
  const order = shuffle(suiteCases(workload), randomFrom(workload.seed + iteration))
  const results = new Map<string, CaseResult[]>(candidates.map(({ option }) => [option.id, []]))
  const resultsOf = (id: string): readonly CaseResult[] => results.get(id) ?? []
  const ended = new Map<string, MeasuredOption['result']>()
  let going: readonly Candidate[] = candidates
  for (const look of looks) {
    if (going.length === 0) break
    const repeat = repeatsFrom + (look === 'second-pass' ? 2 : 1)
    const runs = casesForLook(order, look).flatMap((one) =>
      going.map((candidate) => ({ candidate, run: { case: one, repeat } })),
    )
    const versions = new Map(runs.map(({ run, candidate }) => [run, candidate.version]))
    const made = await runCases(
      it,
      workload,
      runs.map(({ run }) => run),
      (run) => ({ version: versions.get(run) ?? incumbent.version, reuse: true }),
    )
    for (const [at, { candidate }] of runs.entries()) {
      const result = made[at]
      if (result !== undefined) results.get(candidate.option.id)?.push(result)
    }
    const decided = decideLook(look, order.length, incumbent, going, resultsOf)
    for (const [id, result] of decided.ended) ended.set(id, result)
    going = going.filter(({ option }) => decided.going.includes(option.id))
  }
  return conclude(looping, { results: resultsOf, ended })
}

interface LookEnd {
  readonly going: readonly string[]
  readonly ended: readonly (readonly [string, MeasuredOption['result']])[]
}

function decideLook(
  look: Look,
  cases: number,
  { scores: before }: Incumbent,
  going: readonly Candidate[],
  resultsOf: (id: string) => readonly CaseResult[],
): LookEnd {
  const options = going.map(({ option: { id } }) => ({ id, after: toScores(resultsOf(id)) }))
  if (options.length > 1 && (look === 'first-third' || look === 'second-third')) {
    const race = decideRace(look, { cases, before, options })
    return {
      going: race.going,
      ended: race.dropped.map(({ id, ...rest }) => [id, { type: 'dropped', ...rest }] as const),
    }
  }
  const decided = options.map(({ id, after }) => ({
    id,
    decision: decideCandidate(look, { cases, before, after }),
  }))
  return {
    going: decided.filter(({ decision }) => decision.type === 'measure').map(({ id }) => id),
    ended: decided.flatMap(({ id, decision }): LookEnd['ended'] => {
      if (decision.type === 'measure') return []
      if (decision.type === 'keep') return [[id, { type: 'kept', estimate: decision.estimate }]]
      const { type: _type, ...rest } = decision
      return [[id, { type: 'dropped', ...rest }]]
    }),
  }
}

function conclude(
  { candidates, incumbent }: Looping,
  {
    results,
    ended,
  }: {
    readonly results: (id: string) => readonly CaseResult[]
    readonly ended: ReadonlyMap<string, MeasuredOption['result']>
  },
): MeasuredCandidates {
  const options = candidates.flatMap(({ option }) => {
    const result = ended.get(option.id)
    return result === undefined ? [] : [{ option, result }]
  })
  const kept = candidates.find(({ option }) => ended.get(option.id)?.type === 'kept')
  const all = candidates.flatMap(({ option }) => results(option.id))
  const longest = candidates.toSorted(
    (a, b) => results(b.option.id).length - results(a.option.id).length,
  )
  const shown = kept ?? longest[0]
  const own = shown === undefined ? [] : results(shown.option.id)
  return {
    options,
    flips: flipsOf(incumbent, own),
    runs: all.length,
    infrastructure: infrastructureOf(all),
    ...(kept === undefined
      ? {}
      : {
          kept: {
            version: kept.version,
            scores: toScores(own),
            passing: passingOf(own),
            critiques: toCritiques(own),
          },
        }),
  }
}

function flipsOf(before: Incumbent, results: readonly CaseResult[]): Flips {
  const passed = new Set(before.passing)
  const passes = new Set(passingOf(results))
  const scored = toScores(results).flatMap(({ id, scores }) => (scores.length > 0 ? [id] : []))
  return {
    fixed: scored.filter((id) => passes.has(id) && !passed.has(id)),
    regressed: scored.filter((id) => !passes.has(id) && passed.has(id)),
    stillFailing: scored.filter((id) => !passes.has(id) && !passed.has(id)),
    unchanged: scored.filter((id) => passes.has(id) && passed.has(id)),
  }
}
