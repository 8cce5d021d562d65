/** Runs many cases at the same time, and collects their scores. */

import { plural } from '../../../loop/excerpt/plural.ts'
import type { Iteration } from '../../../loop/index.ts'
import type { SuiteScores } from '../statistics/scores.ts'
import type { CaseCritique } from '../tune-state.ts'
import type { Workload } from '../workload/workload.ts'
import { findContradictions } from './classify.ts'
import type { FailureKind } from './failure-kind.ts'
import { type CaseResult, type CaseRun, type RunOptions, runCase } from './run-case.ts'

/** A parallel of the engine has a limit; more are measured in several. */
const branchesMax = 500

export async function runCases(
  it: Iteration,
  workload: Workload,
  runs: readonly CaseRun[],
  options: RunOptions | ((run: CaseRun) => RunOptions),
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = []
  const batchMax = workload.review === undefined ? branchesMax : reviewsMax(workload)
  const optionsOf = typeof options === 'function' ? options : () => options
  for (let from = 0; from < runs.length; from += batchMax) {
    const batch = runs.slice(from, from + batchMax)
    const branches = batch.map((run, at) => {
      const name = `${run.case.label}.${run.repeat}.${from + at + 1}`
      return [name, (branch: Iteration) => runCase(branch, workload, run, optionsOf(run))] as const
    })
    const made = await it.parallel(Object.fromEntries(branches))
    results.push(...branches.flatMap(([name]) => made[name] ?? []))
  }
  return results
}

/** Agents are not queued as commands are. */
const reviewsMax = ({ manifest }: Workload): number => manifest.concurrency ?? 4

/** In the order of the cases. A case without any score is in it with none. */
export function toScores(results: readonly CaseResult[]): SuiteScores {
  const scores = new Map<string, number[]>()
  for (const result of results) {
    const known = scores.get(result.id) ?? []
    if (result.type === 'scored') known.push(result.score)
    scores.set(result.id, known)
  }
  return [...scores].map(([id, all]) => ({ id, scores: all }))
}

const critiquesMax = 1000

/** The last text about each case that did not pass, with what kind of failure it is if that is no error of the work. */
export function toCritiques(results: readonly CaseResult[]): readonly CaseCritique[] {
  const contradicted = findContradictions(results.filter((one) => one.type === 'scored'))
  const critiques = new Map<string, CaseCritique>()
  for (const result of results) {
    if (result.type === 'scored' && result.pass) continue
    const { id } = result
    const kind = kindOf(result, contradicted)
    const doubt = kind === 'real-error' ? '' : `${kind}: `
    critiques.set(id, { id, text: `${doubt}${result.text.slice(0, 500)}`, kind })
  }
  return [...critiques.values()].slice(0, critiquesMax)
}

function kindOf(result: CaseResult, contradicted: ReadonlySet<string>): FailureKind {
  if (result.type === 'unscored') return 'infrastructure'
  const { kind = 'real-error' } = result
  return kind === 'real-error' && contradicted.has(result.id) ? 'evaluator-miscalibration' : kind
}

/** Ids of the cases that were scored and of which every scored run passed. */
export function passingOf(results: readonly CaseResult[]): readonly string[] {
  const passing = new Map<string, boolean>()
  for (const result of results) {
    if (result.type === 'scored') {
      passing.set(result.id, result.pass && passing.get(result.id) !== false)
    }
  }
  return [...passing].flatMap(([id, isPassing]) => (isPassing ? [id] : []))
}

/** What kept runs from being scored: a text for each distinct reason, with how many. */
export function infrastructureOf(results: readonly CaseResult[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const result of results) {
    if (result.type === 'scored') continue
    const reason = `${result.at}: ${result.text.split('\n')[0] ?? ''}`
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(
    ([reason, count]) =>
      `${plural(count, 'run')} ${count === 1 ? 'was' : 'were'} not scored: ${reason}`,
  )
}
