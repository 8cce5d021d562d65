/**
 * What a failure is, before anything is concluded from it: an error of the work, or of what judges it. A score is never changed
 * by it: who is wrong is for a person to decide. Pure.
 */

import type { FailureKind } from './failure-kind.ts'

/** What is known of one run of a case that did not pass. */
export interface Failure {
  /** The workload failed, before anything was judged. */
  readonly isOfWorkload: boolean
  /** The output equals the expected one. Absent: there is no expected one. */
  readonly isExpected?: boolean
  /** In the order of the judges. */
  readonly verdicts: readonly { readonly pass: boolean; readonly score: number }[]
  /** What a reviewer called it. */
  readonly reviewed?: FailureKind
}

export function classifyFailure(failure: Failure): FailureKind {
  const { isOfWorkload, isExpected, verdicts, reviewed } = failure
  if (isOfWorkload) return 'real-error'
  // What was expected came out, and a judge still fails it.
  if (isExpected === true) return 'evaluator-false-positive'
  if (verdicts.some(({ pass, score }) => !pass && score === 1)) return 'evaluator-miscalibration'
  if (reviewed !== undefined) return reviewed
  const passed = verdicts.filter(({ pass }) => pass).length
  return passed > 0 && passed < verdicts.length ? 'evaluator-miscalibration' : 'real-error'
}

export interface JudgedOutput {
  readonly id: string
  /** Of the output. Absent: there was none. */
  readonly digest?: string
  readonly pass: boolean
}

/** Ids of cases whose judges passed an output and failed the same output: they do not judge the same in the same way. */
export function findContradictions(runs: readonly JudgedOutput[]): ReadonlySet<string> {
  const verdicts = new Map<string, boolean>()
  const found = new Set<string>()
  for (const { id, digest, pass } of runs) {
    if (digest === undefined) continue
    const key = `${id}\n${digest}`
    if ((verdicts.get(key) ?? pass) !== pass) found.add(id)
    verdicts.set(key, pass)
  }
  return found
}
