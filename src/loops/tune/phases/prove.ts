/**
 * The proof, and what follows from it: fresh runs of the first and the last version, interleaved. Then cases that look worse run
 * again, and the holdout is opened, once, if the proof said "improved".
 */

import { checkRegressions, type Regressions } from '../measure/check-regressions.ts'
import { casesOf, type HoldoutResult, type OpenSeal, openSeal } from '../measure/holdout-seal.ts'
import { runCases, toScores } from '../measure/run-cases.ts'
import { estimatePopulation } from '../statistics/estimate.ts'
import { decideHoldout } from '../statistics/holdout.ts'
import { decideProof, type ProofDecision, planProof, type Side } from '../statistics/proof.ts'
import { randomFrom } from '../statistics/random.ts'
import { proofRepeats, proofRepeatsMin } from '../statistics/rule.ts'
import type { SuiteScores } from '../statistics/scores.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Looping } from '../tune-state.ts'
import { type Case, suiteCases } from '../workload/workload.ts'
import { isBudgetFault } from './budget.ts'

export interface Proven {
  readonly proof: ProofDecision
  /** Of the fresh runs: what the choice of edits had no part in. */
  readonly regressions: Regressions
  readonly holdout: HoldoutResult
}

const proofRepeatsFrom = 40_000
const holdoutRepeatsFrom = 70_000

/** A proof that the budget does not pay for makes no claim: what was kept stays "kept, not proven". */
export async function prove(session: TuneSession, looping: Looping): Promise<Proven> {
  try {
    return await makeProof(session, looping)
  } catch (error) {
    if (!isBudgetFault(error)) throw error
    const { suite, holdout } = looping.workload.split
    const { length } = holdout
    return {
      proof: { type: 'no-claim', reason: 'too-few-scores', cases: 0, needed: suite.length },
      regressions: { broken: [], suspect: [], runs: 0 },
      holdout:
        length === 0 ? { type: 'none' } : { type: 'sealed', cases: length, reason: 'not-proven' },
    }
  }
}

async function makeProof(session: TuneSession, looping: Looping): Promise<Proven> {
  const { workload, trail } = looping
  const cases = suiteCases(workload)
  const repeats =
    workload.manifest.repeats.proof ??
    proofRepeats({ cases: cases.length, holdoutCases: workload.split.holdout.length })
  const fresh = await runBothSides(session, looping, {
    cases,
    repeats,
    repeatsFrom: proofRepeatsFrom,
    seed: workload.seed + 104_729,
  })
  const proof = decideProof({ cases: cases.length, ...fresh, attempt: 1 })
  const regressions = await findRegressions(session, looping, fresh, trail.length + 1)
  return { proof, regressions, holdout: await openHoldout(session, looping, proof) }
}

interface BothSides {
  readonly cases: readonly Case[]
  readonly repeats: number
  readonly repeatsFrom: number
  readonly seed: number
  readonly seal?: OpenSeal
}

type Scores = { readonly [Name in Side]: SuiteScores }

/** Nothing is reused. */
async function runBothSides(
  { it }: TuneSession,
  { workload, incumbent }: Looping,
  { cases, repeats, repeatsFrom, seed, seal }: BothSides,
): Promise<Scores> {
  const known = new Map(cases.map((one) => [one.id, one]))
  const planned = planProof([...known.keys()], repeats, randomFrom(seed)).flatMap(
    ({ id, side, repeat }) => {
      const one = known.get(id)
      return one === undefined ? [] : [{ side, run: { case: one, repeat: repeatsFrom + repeat } }]
    },
  )
  const sides = new Map(planned.map(({ run, side }) => [run, side]))
  const results = await runCases(
    it,
    workload,
    planned.map(({ run }) => run),
    (run) => ({
      version: sides.get(run) === 'before' ? workload.original : incumbent.version,
      reuse: false,
      ...(seal === undefined ? {} : { seal }),
    }),
  )
  const scoresOf = (side: Side): SuiteScores =>
    toScores(results.filter((_result, at) => planned[at]?.side === side))
  return { before: scoresOf('before'), after: scoresOf('after') }
}

async function findRegressions(
  { it }: TuneSession,
  { workload, baseline: { noise }, incumbent }: Looping,
  { before, after }: Scores,
  iteration: number,
): Promise<Regressions> {
  if (noise === undefined) return { broken: [], suspect: [], runs: 0 }
  return checkRegressions(it, workload, noise, {
    before: { version: workload.original, scores: before },
    after: { version: incumbent.version, scores: after },
    iteration,
  })
}

/** Fewer cases than a claim needs run too: they are a canary, and no claim. */
async function openHoldout(
  session: TuneSession,
  looping: Looping,
  proof: ProofDecision,
): Promise<HoldoutResult> {
  const { workload } = looping
  const { length } = workload.split.holdout
  if (length === 0) return { type: 'none' }
  const seal = openSeal(workload, proof)
  if (seal === undefined) return { type: 'sealed', cases: length, reason: 'not-proven' }
  const scores = await runBothSides(session, looping, {
    cases: casesOf(seal),
    repeats: proofRepeatsMin,
    repeatsFrom: holdoutRepeatsFrom,
    seed: workload.seed + 130_363,
    seal,
  })
  const seen = estimatePopulation(scores.before, scores.after)?.delta
  return {
    ...decideHoldout({ cases: length, ...scores }),
    ...(seen === undefined ? {} : { seen }),
  }
}
