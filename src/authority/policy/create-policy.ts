/**
 * Judges requests by the rules of several files. Enforced rules decide first; monitored rules are evaluated only for what
 * the enforced ones allow, and their answer is recorded.
 */

import type { Policy } from '../../engine/index.ts'
import type {
  PolicyAction,
  PolicyInEffect,
  PolicyMode,
  PolicyRequest,
  PolicyRuling,
} from '../../loop/index.ts'
import { sha256 } from '../../system/index.ts'
import { type Cedar, loadCedar } from './cedar.ts'
import { pickNumbers } from './numbers.ts'
import { PolicyError } from './policy-error.ts'
import { basePolicy, baseRule, policySchema } from './policy-language.ts'
import type { PolicyText } from './policy-problem.ts'
import { type PreparedRules, prepareRules } from './prepared-rules.ts'
import { type PolicyRule, readRules } from './read-rules.ts'

/** A policy file, and whether its rules are enforced. */
export interface PolicySource extends PolicyText {
  readonly mode: PolicyMode
}

/** Rejects with `bad-policy`, which has every problem with its position. Loads Cedar. */
export async function createPolicy(sources: readonly PolicySource[]): Promise<Policy> {
  const cedar = await loadCedar()
  const files = withoutCopies(sources)
  const read = files.map((source) => ({ source, ...readRules(cedar, source) }))
  const problems = read.flatMap((one) => one.problems)
  if (problems.length > 0) throw new PolicyError(problems)
  const rulesIn = (mode: PolicyMode): readonly PolicyRule[] =>
    read.filter(({ source }) => source.mode === mode).flatMap(({ rules }) => rules)
  const monitored = rulesIn('monitor')
  const judgeEnforced = createJudge(cedar, rulesIn('enforce'))
  const judgeMonitored = monitored.length === 0 ? undefined : createJudge(cedar, monitored)
  return {
    inEffect: describeSources(files),
    judge(request) {
      const ruling = judgeEnforced(request)
      if (ruling.decision === 'deny' || judgeMonitored === undefined) return ruling
      const watched = judgeMonitored(request)
      return watched.decision === 'deny' ? { ...watched, isMonitored: true } : ruling
    },
  }
}

/** A file that is named twice is enforced if one of the two is. A file with another text stays: none replaces a rule. */
function withoutCopies(sources: readonly PolicySource[]): readonly PolicySource[] {
  const byFile = new Map<string, PolicySource>()
  for (const source of sources) {
    const key = JSON.stringify([source.file, source.text])
    const { mode } = byFile.get(key) ?? source
    byFile.set(key, { ...source, mode: mode === 'enforce' ? mode : source.mode })
  }
  return [...byFile.values()]
}

function describeSources(sources: readonly PolicySource[]): PolicyInEffect {
  const texts = sources.map(({ text, mode }) => [mode, sha256(text)])
  return {
    digest: sha256(JSON.stringify([sha256(policySchema), sha256(basePolicy), ...texts])),
    mode: sources.some(({ mode }) => mode === 'enforce') ? 'enforce' : 'monitor',
    files: sources.map(({ file, mode }) => ({ file, mode })),
  }
}

type Judge = (request: PolicyRequest) => PolicyRuling

function createJudge(cedar: Cedar, rules: readonly PolicyRule[]): Judge {
  const judges = new Map<PolicyAction, Judge>()
  const judgesBoth = rules.some(({ namesCallTool }) => namesCallTool)
  const judgeAs = (request: PolicyRequest, action: PolicyAction): PolicyRuling => {
    const judge = judges.get(action) ?? createActionJudge(cedar, rules, action)
    judges.set(action, judge)
    return judge(request)
  }
  return (request) => {
    const ruling = judgeAs(request, request.action)
    const isDone = request.action !== 'callToolUnattended' || !judgesBoth
    return isDone || ruling.decision === 'deny' ? ruling : judgeAs(request, 'callTool')
  }
}

const allowed: PolicyRuling = { decision: 'allow', rules: [baseRule] }

/** Uses only the rules that can apply to the action. Without any, Cedar is not called. */
function createActionJudge(
  cedar: Cedar,
  rules: readonly PolicyRule[],
  action: PolicyAction,
): Judge {
  const those = rules.filter(({ actions }) => actions?.includes(action) !== false)
  if (those.length === 0) return () => allowed
  const prepared = prepareRules(cedar, those)
  const numbers = new Set(those.flatMap((rule) => rule.numbers))
  const judge: Judge = (request) => {
    const context = pickNumbers(request.context, numbers)
    return ask(cedar, prepared, { ...request, action, context })
  }
  return numbers.size > 0 ? judge : remember(judge)
}

const rememberedMax = 1000

/** For rules without numbers: the same question always has the same answer. */
function remember(judge: Judge): Judge {
  const known = new Map<string, PolicyRuling>()
  return (request) => {
    const { loop, run, agent, tool, actionKind } = request
    const key = JSON.stringify([loop, run, agent, tool?.name, tool?.risk, actionKind])
    const ruling = known.get(key) ?? judge(request)
    if (known.size >= rememberedMax) known.clear()
    known.set(key, ruling)
    return ruling
  }
}

interface Asked extends Omit<PolicyRequest, 'context'> {
  readonly context: Readonly<Record<string, number>>
}

/** The rules were validated, and the request is made here: validating it too would take a third of the time. */
function ask(cedar: Cedar, prepared: PreparedRules, request: Asked): PolicyRuling {
  const { action, loop, agent, tool, context } = request
  const ofLoop = { type: 'Loop', id: loop }
  const principal = agent === undefined ? ofLoop : { type: 'Agent', id: agent }
  const resource = resourceOf(request)
  const answer = cedar.statefulIsAuthorized({
    principal,
    action: { type: 'Action', id: action },
    resource,
    context,
    preparsedPolicySetId: prepared.name(),
    entities: [
      ...(agent === undefined ? [] : [{ uid: principal, attrs: {}, parents: [ofLoop] }]),
      ...(tool === undefined ? [] : [{ uid: resource, attrs: { risk: tool.risk }, parents: [] }]),
    ],
  })
  if (answer.type === 'failure') {
    const errors = answer.errors.map(({ message }) => message)
    return cannotJudge(errors, [])
  }
  const { decision, diagnostics } = answer.response
  const decided = diagnostics.reason.map((key) => prepared.byKey.get(key))
  if (diagnostics.errors.length > 0) {
    const failed = diagnostics.errors.map(({ policyId, error }) => ({
      id: prepared.byKey.get(policyId)?.id ?? baseRule,
      message: error.message,
    }))
    return cannotJudge(
      failed.map(({ id, message }) => `${id}: ${message}`),
      failed.map(({ id }) => id),
    )
  }
  const ids = decided.map((rule) => rule?.id ?? baseRule).toSorted()
  if (decision === 'allow') return { decision, rules: ids }
  const reasons = decided.map((rule) => rule?.reason ?? `forbidden by "${rule?.id ?? baseRule}"`)
  const reason = ids.length === 0 ? 'no rule permits it' : reasons.join('; ')
  return { decision, rules: ids, reason }
}

function cannotJudge(errors: readonly string[], rules: readonly string[]): PolicyRuling {
  const reason = `a rule could not be evaluated: ${errors.join('; ')}`
  return { decision: 'deny', rules, reason, errors }
}

function resourceOf({ tool, actionKind, run }: Asked): {
  readonly type: string
  readonly id: string
} {
  if (tool !== undefined) return { type: 'Tool', id: tool.name }
  if (actionKind !== undefined) return { type: 'ActionKind', id: actionKind }
  return { type: 'Run', id: run ?? '' }
}
