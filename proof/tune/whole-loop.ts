/**
 * One whole loop, with the decision code of the product and simulated runs: baseline, iterations until the passes are
 * spent or the plateau default stops it, checks of single cases, the proof, the holdout. The truth is known, so each
 * claim is judged against its own target: what it says of the suite, or of all cases that could exist.
 */

import {
  casesForLook,
  claimOfIteration,
  decideCandidate,
  type Look,
} from '#src/loops/tune/statistics/candidate.ts'
import { checkCase, findSuspects } from '#src/loops/tune/statistics/case-check.ts'
import { decideConvergence, type IterationOutcome } from '#src/loops/tune/statistics/convergence.ts'
import type { Verdict } from '#src/loops/tune/statistics/estimate.ts'
import { decideHoldout, mayOpenHoldout } from '#src/loops/tune/statistics/holdout.ts'
import { measureNoise, type NoiseFloor } from '#src/loops/tune/statistics/noise-floor.ts'
import { decideProof, type ProofDecision, planProof } from '#src/loops/tune/statistics/proof.ts'
import { decideRace } from '#src/loops/tune/statistics/race.ts'
import { type Random, randomFrom, shuffle } from '#src/loops/tune/statistics/random.ts'
import { baselineRepeats, proofRepeats, proofRepeatsMin } from '#src/loops/tune/statistics/rule.ts'
import { passes } from '#src/loops/tune/statistics/scores.ts'
import {
  everyCase,
  idOf,
  type MeasuredCase,
  measure,
  placeOf,
  runOnce,
  unmeasured,
} from './versions.ts'
import {
  applyEdit,
  gainOf,
  type Kind,
  makeWorkload,
  proposeEdit,
  type Stream,
  type Workload,
} from './workload.ts'

export interface LoopSettings {
  readonly cases: number
  readonly kind: Kind
  readonly stream: Stream
  /** Sets 30 % of the cases aside. */
  readonly hasHoldout: boolean
  /** One option each iteration, or three that are raced. */
  readonly options: 1 | 3
  /** Added to the mean after the baseline, without any edit: the provider changed. */
  readonly drift: number
  /** A defect, to show that the proof would notice it: it proves with the scores of baseline and iterations. */
  readonly planted?: 'old-scores'
}

export interface LoopResult {
  /** True gain of the final version: on the suite, and on all cases that could exist. */
  readonly gain: number
  readonly populationGain: number
  readonly claimed: boolean
  /** The gain that the proof reported. */
  readonly reported: number
  readonly generalises: boolean
  readonly isHoldoutOpened: boolean
  readonly falseClaims: number
  readonly falseGeneralises: boolean
  readonly iterations: number
  /** Passes over all cases, without the checks of single cases. */
  readonly passes: number
  readonly checkPasses: number
  /** Cases that lost half a point or more, and how many of them were shown. */
  readonly dropped: number
  readonly shown: number
  readonly falselyBroken: number
}

const passesMax = 22
const iterationsMax = 20
const holdoutShare = 0.3

interface Version {
  readonly truth: Workload
  readonly scores: readonly MeasuredCase[]
}

interface Loop {
  readonly settings: LoopSettings
  readonly random: Random
  readonly cases: readonly number[]
  readonly baseline: Version
  readonly noise: NoiseFloor
  /** Runs so far, and runs that are kept for proof and holdout. */
  runs: number
  readonly reserved: number
  reruns: number
  falseClaims: number
  falselyBroken: number
  readonly shown: Set<string>
}

export function simulateLoop(settings: LoopSettings, seed: number): LoopResult {
  const loop = openLoop(settings, seed)
  const { final, iterations } = iterate(loop)
  const proof = final === loop.baseline ? undefined : prove(loop, final)
  const claim = proof?.type === 'claim' ? proof : undefined
  const [before, after] = [loop.baseline.truth, final.truth]
  const gain = gainOf(before.suite, after.suite)
  const populationGain = after.population - before.population
  if (claim !== undefined && isFalse(claim.verdict, gain)) loop.falseClaims++
  const isHoldoutOpened = proof !== undefined && before.holdout.length > 0 && mayOpenHoldout(proof)
  const generalises = isHoldoutOpened && openHoldout(loop, final) === 'improved'
  const falseGeneralises = generalises && isFalse('improved', populationGain)
  const dropped = loop.cases.filter((at) => dropOf(before, after, at) >= 0.5)
  return {
    gain,
    populationGain,
    claimed: claim?.verdict === 'improved',
    reported: claim?.estimate.delta ?? 0,
    generalises,
    isHoldoutOpened,
    falseClaims: loop.falseClaims + (falseGeneralises ? 1 : 0),
    falseGeneralises,
    iterations,
    passes: loop.runs / settings.cases,
    checkPasses: loop.reruns / settings.cases,
    dropped: dropped.length,
    shown: dropped.filter((at) => loop.shown.has(idOf(at))).length,
    falselyBroken: loop.falselyBroken,
  }
}

function openLoop(settings: LoopSettings, seed: number): Loop {
  const random = randomFrom(seed)
  const holdout = settings.hasHoldout ? Math.round(settings.cases * holdoutShare) : 0
  const size = settings.cases - holdout
  const truth = makeWorkload(settings.kind, { suite: size, holdout }, random)
  const baseline = { truth, scores: unmeasured(size) }
  const cases = everyCase(size)
  const repeats = baselineRepeats(size)
  for (let pass = 0; pass < repeats; pass++) measure(baseline.scores, truth.suite, cases, random)
  const noise = measureNoise(baseline.scores)
  if (noise === undefined) throw new Error('The baseline has no repeats.')
  const runs = repeats * size
  const reserved = 2 * proofRepeatsMin * (size + holdout)
  const counts = { runs, reserved, reruns: 0, falseClaims: 0, falselyBroken: 0 }
  return { settings, random, cases, baseline, noise, ...counts, shown: new Set() }
}

function iterate(loop: Loop): { readonly final: Version; readonly iterations: number } {
  const { settings, cases, reserved } = loop
  const passesForOne = settings.options === 1 ? 2 : 3
  const outcomes: IterationOutcome[] = []
  let incumbent = loop.baseline
  while (loop.runs + passesForOne * cases.length + reserved <= passesMax * settings.cases) {
    const kept = runIteration(loop, incumbent, outcomes.length + 1)
    outcomes.push({ kept: kept !== undefined, measured: true, net: 0 })
    incumbent = kept ?? incumbent
    const isAllPassing = incumbent.scores.every(passes)
    const next = decideConvergence({ outcomes, iterationsMax, isAllPassing })
    if (next.type === 'stop' || (next.type === 'ask' && next.default === 'stop')) break
  }
  return { final: incumbent, iterations: outcomes.length }
}

/** The version that was kept, if any. */
function runIteration(loop: Loop, incumbent: Version, iteration: number): Version | undefined {
  const { settings, random, cases } = loop
  const order = shuffle(cases, random)
  let options = Array.from({ length: settings.options }, (_, at) => ({
    id: String(at),
    truth: applyEdit(incumbent.truth, proposeEdit(settings.stream, random), random),
    after: unmeasured(cases.length),
  }))
  const [all, before] = [cases.length, incumbent.scores]
  for (const look of looks) {
    for (const { truth, after } of options) run(loop, after, truth, casesForLook(order, look))
    if ((look === 'first-third' || look === 'second-third') && settings.options > 1) {
      const { going } = decideRace(look, { cases: all, before, options })
      options = options.filter(({ id }) => going.includes(id))
    }
    const [option] = options
    if (option === undefined) return undefined
    const { truth, after } = option
    if (options.length > 1) continue
    const decision = decideCandidate(look, { cases: all, before, after })
    if (decision.type === 'measure') continue
    const claim = claimOfIteration(
      { cases: all, before, after },
      { iteration, options: settings.options },
    )
    const gain = gainOf(incumbent.truth.suite, truth.suite)
    if (claim !== undefined && isFalse(claim.verdict, gain)) loop.falseClaims++
    if (decision.type === 'drop') return undefined
    const kept = { truth, scores: after }
    checkCases(loop, incumbent, kept)
    return kept
  }
  return undefined
}

const looks: readonly Look[] = ['first-third', 'second-third', 'first-pass', 'second-pass']

function run(
  loop: Loop,
  scores: readonly MeasuredCase[],
  truth: Workload,
  cases: readonly number[],
): void {
  measure(scores, truth.suite, cases, loop.random, loop.settings.drift)
  loop.runs += cases.length
}

/** Runs cases that look worse again. Notes what is shown. */
function checkCases(loop: Loop, before: Version, after: Version): void {
  const { random, noise, settings } = loop
  for (const suspect of findSuspects(before.scores, after.scores, noise)) {
    const at = placeOf(suspect.id)
    const one = { ...suspect, before: [...suspect.before], after: [...suspect.after] }
    let decision = checkCase(one, noise)
    while (decision.type === 'rerun') {
      const { suite } = decision.side === 'before' ? before.truth : after.truth
      one[decision.side].push(runOnce(suite[at] ?? 0, random, settings.drift))
      one.reruns++
      loop.reruns++
      decision = checkCase(one, noise)
    }
    if (decision.label !== 'cleared') loop.shown.add(suspect.id)
    const isWorse = dropOf(before.truth, after.truth, at) > 0
    if (decision.label === 'broken' && !isWorse) loop.falselyBroken++
  }
}

function prove(loop: Loop, final: Version): ProofDecision {
  const { settings, baseline, cases, random } = loop
  const fresh = {
    before: { truth: baseline.truth, scores: unmeasured(cases.length) },
    after: { truth: final.truth, scores: unmeasured(cases.length) },
  }
  if (settings.planted !== undefined) {
    const [before, after] = [baseline.scores, final.scores]
    return decideProof({ cases: cases.length, before, after, attempt: 1 })
  }
  const repeats = proofRepeats({
    cases: cases.length,
    holdoutCases: final.truth.holdout.length,
    runs: passesMax * settings.cases - loop.runs,
  })
  for (const { id, side } of planProof(cases.map(idOf), repeats, random)) {
    run(loop, fresh[side].scores, fresh[side].truth, [placeOf(id)])
  }
  checkCases(loop, fresh.before, fresh.after)
  const [before, after] = [fresh.before.scores, fresh.after.scores]
  return decideProof({ cases: cases.length, before, after, attempt: 1 })
}

function openHoldout(loop: Loop, final: Version): Verdict | undefined {
  const { random, settings } = loop
  const sides = [loop.baseline.truth.holdout, final.truth.holdout]
  const cases = everyCase(final.truth.holdout.length)
  const [before = [], after = []] = sides.map((rates) => {
    const scores = unmeasured(cases.length)
    for (let repeat = 0; repeat < proofRepeatsMin; repeat++) {
      measure(scores, rates, cases, random, settings.drift)
      loop.runs += cases.length
    }
    return scores
  })
  const decision = decideHoldout({ cases: cases.length, before, after })
  return decision.type === 'claim' ? decision.verdict : undefined
}

const dropOf = (before: Workload, after: Workload, at: number): number =>
  (before.suite[at] ?? 0) - (after.suite[at] ?? 0)

const isFalse = (verdict: Verdict, gain: number): boolean =>
  (verdict === 'improved' && gain <= rounding) || (verdict === 'regressed' && gain >= -rounding)

/** What adds up to nothing may be off by so much. */
const rounding = 1e-9
