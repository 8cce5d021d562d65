/** Reads the rules of a policy file: each with its id, its reason and its line, or what is wrong with the file. */

import type { ActionConstraint, EntityUidJson } from '@cedar-policy/cedar-wasm/nodejs'
import { defined, type PolicyContext, suggestName } from '../../loop/index.ts'
import type { Cedar } from './cedar.ts'
import { findNestingProblem, type NestingProblem } from './nesting.ts'
import { findNumbers } from './numbers.ts'
import { baseRule, policySchema } from './policy-language.ts'
import { type PolicyProblem, type PolicyText, positionAt, toProblems } from './policy-problem.ts'

export interface PolicyRule {
  /** From `@id`; otherwise the name of the file and the line, such as `limits.cedar:3`. */
  readonly id: string
  readonly file: string
  readonly line: number
  readonly effect: 'permit' | 'forbid'
  /** From `@reason`. */
  readonly reason?: string
  readonly text: string
  /** It may tell `callTool` from `callToolUnattended`, so calls of unattended runs are judged as both actions. */
  readonly namesCallTool: boolean
  /** The numbers that it refers to. Cedar gets only these, because converting each one takes time. */
  readonly numbers: readonly (keyof PolicyContext)[]
  /** The only actions that it can apply to. Absent: all. */
  readonly actions?: readonly string[]
}

export interface ReadRules {
  readonly rules: readonly PolicyRule[]
  /** None: the rules can be used. */
  readonly problems: readonly PolicyProblem[]
  readonly warnings: readonly PolicyProblem[]
}

/** The most rules in one file (E9). */
const rulesMax = 1000

const idCharsMax = 100
const reasonCharsMax = 500

export function readRules(cedar: Cedar, source: PolicyText): ReadRules {
  const none = { rules: [], warnings: [] }
  const nesting = findNestingProblem(source.text)
  if (nesting !== undefined) return { ...none, problems: [tooNested(source, nesting)] }
  const parts = cedar.policySetTextToParts(source.text)
  if (parts.type === 'failure') return { ...none, problems: toProblems(source, parts.errors) }
  const refused = refusedAsWhole(source, parts)
  if (refused !== undefined) return { ...none, problems: [refused] }
  const answer = cedar.validate({
    schema: policySchema,
    policies: { staticPolicies: source.text },
    validationSettings: { mode: 'strict' },
  })
  if (answer.type === 'failure') return { ...none, problems: toProblems(source, answer.errors) }
  const invalid = answer.validationErrors.map(({ error }) => error)
  const read = toRules(cedar, source, parts.policies)
  const problems = [...toProblems(source, invalid), ...read.problems]
  // A rule that refers to something unknown is also reported as one that never applies.
  const doubts = problems.length > 0 ? [] : answer.validationWarnings.map(({ error }) => error)
  return {
    rules: read.rules,
    problems,
    warnings: [...toProblems(source, doubts), ...permits(read.rules)],
  }
}

function tooNested(
  { file, text }: PolicyText,
  { offset, ...problem }: NestingProblem,
): PolicyProblem {
  const at = positionAt(text, Buffer.byteLength(text.slice(0, offset)))
  return { file, ...at, ...problem }
}

function refusedAsWhole(
  { file }: PolicyText,
  parts: { readonly policies: readonly string[]; readonly policy_templates: readonly string[] },
): PolicyProblem | undefined {
  const at = { file, line: 1, column: 1 }
  if (parts.policy_templates.length > 0) {
    const suggestion = 'write the entity instead of ?principal or ?resource'
    return { ...at, reason: 'templates are not supported', suggestion }
  }
  if (parts.policies.length > rulesMax) {
    return { ...at, reason: `it has more than ${rulesMax} rules`, suggestion: 'merge some' }
  }
  return undefined
}

function toRules(
  cedar: Cedar,
  source: PolicyText,
  texts: readonly string[],
): { readonly rules: readonly PolicyRule[]; readonly problems: readonly PolicyProblem[] } {
  const { file } = source
  const rules: PolicyRule[] = []
  const problems: PolicyProblem[] = []
  let searchedTo = 0
  for (const text of texts) {
    const start = Math.max(source.text.indexOf(text, searchedTo), searchedTo)
    searchedTo = start + text.length
    const at = positionAt(source.text, Buffer.byteLength(source.text.slice(0, start)))
    const parsed = cedar.policyToJson(text)
    if (parsed.type === 'failure') {
      problems.push(...toProblems(source, parsed.errors))
      continue
    }
    const { effect, annotations = {}, action, conditions } = parsed.json
    problems.push(...annotationProblems(annotations, rules, { file, ...at }))
    const reason = annotations['reason']?.slice(0, reasonCharsMax)
    const named = JSON.stringify({ action, conditions })
    rules.push({
      id: annotations['id']?.slice(0, idCharsMax) ?? `${nameOf(file)}:${at.line}`,
      file,
      line: at.line,
      effect,
      text,
      namesCallTool: named.includes('"id":"callTool') || named.includes('"Var":"action"'),
      numbers: findNumbers(conditions),
      ...defined({ reason, actions: actionsIn(action) }),
    })
  }
  return { rules, problems }
}

/** Cedar writes an entity in one of two forms. */
function toName(entity: EntityUidJson): string {
  const { id } = 'id' in entity ? entity : Object.assign({ id: '' }, ...Object.values(entity))
  return String(id)
}

/** The schema has no groups of actions, so `in` is a list of them. */
function actionsIn(scope: ActionConstraint): readonly string[] | undefined {
  if (scope.op === 'All' || 'slot' in scope) return undefined
  const entities = 'entity' in scope ? [scope.entity] : scope.entities
  return entities.map((entity) => toName(entity))
}

const annotationNames = ['id', 'reason']

function annotationProblems(
  annotations: Readonly<Record<string, string>>,
  before: readonly PolicyRule[],
  at: { readonly file: string; readonly line: number; readonly column: number },
): readonly PolicyProblem[] {
  const { id } = annotations
  const unknown = Object.keys(annotations).filter((name) => !annotationNames.includes(name))
  const same = id === undefined ? undefined : before.find((rule) => rule.id === id)
  return [
    ...unknown.map((name) => ({
      ...at,
      reason: `unknown annotation @${name}.${suggestName(name, annotationNames)}`,
      suggestion: 'use @id("...") and @reason("...")',
    })),
    ...(id === baseRule || id === ''
      ? [{ ...at, reason: `a rule cannot have the id "${id}"`, suggestion: 'choose another' }]
      : []),
    ...(same === undefined
      ? []
      : [
          { ...at, reason: `the id "${id}" is used in line ${same.line}`, suggestion: 'rename it' },
        ]),
  ]
}

const permits = (rules: readonly PolicyRule[]): readonly PolicyProblem[] =>
  rules
    .filter(({ effect }) => effect === 'permit')
    .map(({ file, line, id }) => ({
      file,
      line,
      column: 1,
      reason: `"${id}" has no effect: everything is permitted that no rule forbids`,
      suggestion: 'write "forbid (...) unless { ... };" instead',
    }))

const nameOf = (file: string): string => file.split(/[\\/]/).at(-1) ?? file
