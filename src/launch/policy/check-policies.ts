/** Checks policy files: what is wrong, where, and what to write instead. */

import { resolve } from 'node:path'
import { loadCedar } from '../../authority/policy/cedar.ts'
import { PolicyError } from '../../authority/policy/policy-error.ts'
import type { PolicyProblem } from '../../authority/policy/policy-problem.ts'
import { readRules } from '../../authority/policy/read-rules.ts'
import { defined } from '../../loop/index.ts'
import { readPolicyFile } from './open-run-policy.ts'

export interface PolicyReport {
  /** As it was given. */
  readonly file: string
  readonly ok: boolean
  readonly rules: readonly CheckedRule[]
  readonly problems: readonly PolicyProblem[]
  readonly warnings: readonly PolicyProblem[]
}

export interface CheckedRule {
  readonly id: string
  readonly line: number
  readonly effect: 'permit' | 'forbid'
  readonly reason?: string
}

export async function checkPolicy(file: string): Promise<PolicyReport> {
  try {
    const { text } = await readPolicyFile(resolve(file))
    const { rules, problems, warnings } = readRules(await loadCedar(), { file, text })
    const listed = rules.map(({ id, line, effect, reason }) => ({
      id,
      line,
      effect,
      ...defined({ reason }),
    }))
    return { file, ok: problems.length === 0, rules: listed, problems, warnings }
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    const problems = error.problems.map((problem) => ({ ...problem, file }))
    return { file, ok: false, rules: [], problems, warnings: [] }
  }
}
