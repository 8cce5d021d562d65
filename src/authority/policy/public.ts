/** What `loopwright/policy` exports: policies for runs that a program starts. */

export type { Policy } from '../../engine/index.ts'
export type {
  PolicyAction,
  PolicyContext,
  PolicyInEffect,
  PolicyMode,
  PolicyRequest,
  PolicyRuling,
} from '../../loop/index.ts'
export { createPolicy, type PolicySource } from './create-policy.ts'
export { PolicyError } from './policy-error.ts'
export { basePolicy, policySchema } from './policy-language.ts'
export type { PolicyProblem, PolicyText } from './policy-problem.ts'
