/** Runs many cases at the same time, and collects their scores. */

import type { Iteration } from '../../../loop/index.ts'
import type { SuiteScores } from '../statistics/scores.ts'
import type { CaseCritique } from '../tune-state.ts'
import type { Workload } from '../workload/workload.ts'
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
  const optionsOf = typeof options === 'function' ? options : () => options
  for (let from = 0; from < runs.length; from += branchesMax) {
    const batch = runs.slice(from, from + branchesMax)
    const branches = batch.map((run, at) => {
      const name = `${run.case.label}.${run.repeat}.${from + at + 1}`
      return [name, (branch: Iteration) => runCase(branch, workload, run, optionsOf(run))] as const
    })
    const made = await it.parallel(Object.fromEntries(branches))
    results.push(...branches.flatMap(([name]) => made[name] ?? []))
  }
  return results
}

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

/** The last text about each case that did not pass. */
export function toCritiques(results: readonly CaseResult[]): readonly CaseCritique[] {
  const texts = new Map<string, string>()
  for (const result of results) {
    if (result.type === 'scored' && result.pass) continue
    texts.set(result.id, result.text.slice(0, 500))
  }
  return [...texts].slice(0, critiquesMax).map(([id, text]) => ({ id, text }))
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
  return [...counts].map(([reason, count]) => `${count} runs were not scored: ${reason}`)
}
