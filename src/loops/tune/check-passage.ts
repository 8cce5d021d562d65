/**
 * The invariants of the protocol, compared with what an iteration of the engine really did. They are checked here, between the phase
 * and the journal, so that the code of a phase cannot skip them. What breaks one ends the run.
 *
 *   1 audit trail           every iteration has a hypothesis with a prediction, logged before it is measured, and an outcome
 *   2 review before compose the composer gets the critiques of what it changes, never outputs alone
 *   3 structural fixes      an option without a concrete mechanism, or without an edit, is not applied
 *   4 re-review after edit  every edit is measured by the next iteration, with critiques of its own outputs
 *   5 expected is optional  a workload without expected outputs is judged by its critiques alone
 *   6 manifest colocated    a manifest lies with the code of its workload and names nothing outside of its folder
 *   7 no silent regression  a case that got worse is in the log, and a person or their policy decided about it
 *   8 validate first        nothing is measured with a manifest that did not pass the calibration
 */

import { FaultError } from '../../loop/index.ts'
import { findTransitionProblem } from './gates.ts'
import type { LogEntry } from './report/log-entry.ts'
import type { Shown } from './shown.ts'
import type { IterationRecord, Looping, TuneState } from './tune-state.ts'
import { inFolder } from './workload/workload.ts'

export function checkPassage(before: TuneState, after: TuneState, shown: Shown): void {
  const problem = findPassageProblem(before, after, shown)
  if (problem === undefined) return
  throw new FaultError({
    code: 'protocol-broken',
    message: `The protocol of the loop was not kept: ${problem}. Nothing of this phase counts.`,
    retryable: false,
    fatal: true,
  })
}

export const findPassageProblem = (
  before: TuneState,
  after: TuneState,
  shown: Shown,
): string | undefined =>
  findTransitionProblem(before, after, shown) ??
  findManifestProblem(after) ??
  findJudgeProblem(after) ??
  findStructureProblem(shown.entries) ??
  (before.phase === 'iteration' && 'trail' in after
    ? findTripProblem(before, after, shown.entries)
    : undefined)

/** Invariant 6. */
function findManifestProblem(after: TuneState): string | undefined {
  if (!('workload' in after)) return undefined
  const { manifest, manifestPath, folder } = after.workload
  const paths = [manifestPath, ...manifest.artifactPaths.map((path) => inFolder(folder, path))]
  const outside = paths.find((path) => path.startsWith('/') || path.split('/').includes('..'))
  return outside === undefined
    ? undefined
    : `${outside} is not inside the workspace, so the manifest does not lie with its workload`
}

/** Invariant 5: expected outputs may be absent, a judge may not. */
function findJudgeProblem(after: TuneState): string | undefined {
  if (!('workload' in after)) return undefined
  const { evaluateCommand, reviewCommand, expectedPaths, agents } = after.workload.manifest
  const judges = [evaluateCommand, reviewCommand, agents.reviewer, expectedPaths]
  return judges.every((judge) => judge === undefined) ? 'nothing judges the outputs' : undefined
}

/** Invariant 3. */
function findStructureProblem(entries: readonly LogEntry[]): string | undefined {
  for (const entry of entries) {
    if (entry.type !== 'edit-applied') continue
    const { id, mechanism, edits } = entry.option
    if (mechanism.trim() === '') return `option ${id} was applied without a mechanism`
    if (edits.every(({ current, proposed }) => current === proposed)) {
      return `option ${id} was applied without a change`
    }
  }
  return undefined
}

function findTripProblem(
  before: Looping,
  after: Looping,
  entries: readonly LogEntry[],
): string | undefined {
  const record = after.trail.at(-1)
  if (record === undefined || after.trail.length !== before.trail.length + 1) {
    return 'an iteration left no record, or more than one'
  }
  return (
    findTrailProblem(record, entries) ??
    findReviewProblem(before, after, record, entries) ??
    findRegressionProblem(record, entries)
  )
}

/** Invariant 1. */
function findTrailProblem(
  { iteration, hypothesis, measured }: IterationRecord,
  entries: readonly LogEntry[],
): string | undefined {
  const { statement, prediction, outcome } = hypothesis
  if (statement.trim() === '' || prediction.trim() === '') {
    return `iteration ${iteration} has no hypothesis with a prediction`
  }
  const stated = entries.findIndex(
    (entry) => entry.type === 'hypothesis' && entry.iteration === iteration,
  )
  const ran = entries.findIndex(({ type }) => type === 'experiment')
  if (stated === -1 || (ran !== -1 && ran < stated)) {
    return `the prediction of iteration ${iteration} was not logged before it was measured`
  }
  if (measured !== undefined && outcome === 'untested') {
    return `iteration ${iteration} measured something, and its hypothesis has no outcome`
  }
  return undefined
}

/** Invariants 2 and 4. */
function findReviewProblem(
  { candidates }: Looping,
  after: Looping,
  { iteration, measured }: IterationRecord,
  entries: readonly LogEntry[],
): string | undefined {
  // A loop that ends before it could measure an edit still has it.
  const open = after.candidates.map(({ option }) => option.id)
  const known = new Set([...open, ...(measured?.options ?? []).map(({ option }) => option.id)])
  const missing = candidates.find(({ option }) => !known.has(option.id))
  if (missing !== undefined) return `the edit ${missing.option.id} was not measured by the next run`
  if (candidates.length === 0 || measured === undefined) return undefined
  const reviewed = entries.findIndex(
    (entry) => entry.type === 'critique' && entry.iteration === iteration,
  )
  if (reviewed === -1) return `iteration ${iteration} has no critique of what it measured`
  const composed = entries.findIndex(({ type }) => type === 'composer-analysis')
  return composed !== -1 && composed < reviewed
    ? `the composer was asked before the outputs of iteration ${iteration} were reviewed`
    : undefined
}

/** Invariant 7. */
function findRegressionProblem(
  { iteration, measured }: IterationRecord,
  entries: readonly LogEntry[],
): string | undefined {
  if (measured === undefined) return undefined
  const result = entries.find(
    (entry) => entry.type === 'iteration-result' && entry.iteration === iteration,
  )
  if (result?.type !== 'iteration-result') return `iteration ${iteration} has no result in the log`
  const silent = measured.flips.regressed.find((id) => !result.regressed.includes(id))
  if (silent !== undefined) return `the regression of ${silent} is not in the log`
  const { broken = [], suspect = [] } = measured
  if (broken.length + suspect.length === 0) return undefined
  const decided = entries.find(
    (entry) => entry.type === 'regression-detected' && entry.iteration === iteration,
  )
  if (decided?.type !== 'regression-detected' || decided.answer.trim() === '') {
    return `the regressions of iteration ${iteration} were not decided about`
  }
  const missing = [...broken, ...suspect].find(
    (id) => !decided.cases.some((one) => one.startsWith(`${id} (`)),
  )
  return missing === undefined ? undefined : `the regression of ${missing} is not in the log`
}
