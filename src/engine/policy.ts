/**
 * Asks the policy and journals its answer. `decide` reads the answer from the state, so a resumed run does not ask again
 * about an iteration that was already ruled on (E2).
 */

import {
  defined,
  inputTokensOf,
  outputTokensOf,
  type PolicyContext,
  type PolicyRequest,
  type PolicyRuling,
  type RunState,
  type StepId,
} from '../loop/index.ts'
import type { LiveRun } from './live-run.ts'

/** Before an iteration starts. */
export async function askPolicy(run: LiveRun, iteration: number): Promise<void> {
  const context = await policyContext(run, iteration)
  const ruling = judge(run, { action: 'iterate', loop: run.recorder.state.loop, context })
  await recordRuling(run, ruling, { action: 'iterate', iteration })
}

/** What a step asks: about a tool or an action. */
export type StepRequest = Pick<PolicyRequest, 'action' | 'agent' | 'tool' | 'actionKind'>

/** Undefined: no policy applies. */
export async function askPolicyInStep(
  run: LiveRun,
  iteration: number,
  step: StepId,
  request: StepRequest,
): Promise<PolicyRuling | undefined> {
  if (run.ports.policy === undefined) return undefined
  const context = await policyContext(run, iteration)
  const ruling = judge(run, { ...request, loop: run.recorder.state.loop, context })
  const resource = request.tool?.name ?? request.actionKind
  const asked = { action: request.action, iteration, step, ...defined({ resource }) }
  await recordRuling(run, ruling, asked)
  return ruling
}

async function recordRuling(
  { recorder }: LiveRun,
  ruling: PolicyRuling,
  asked: {
    readonly action: PolicyRequest['action']
    readonly iteration: number
    readonly step?: StepId
    readonly resource?: string
  },
): Promise<void> {
  const policy = recorder.state.policy?.digest ?? ''
  await recorder.record([{ type: 'policy-decided', ...asked, ...ruling, policy }])
}

/** A policy that fails denies: the limits of the engine hold without it, its own rules do not. */
function judge({ ports }: LiveRun, request: PolicyRequest): PolicyRuling {
  const { policy } = ports
  if (policy === undefined) return { decision: 'deny', rules: [], reason: 'the policy is missing' }
  try {
    return policy.judge(request)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const reason = `the policy could not be evaluated: ${message}`
    return { decision: 'deny', rules: [], reason, errors: [message] }
  }
}

async function policyContext(run: LiveRun, iteration: number): Promise<PolicyContext> {
  const { recorder, ports } = run
  const { state } = recorder
  const { spent } = state
  const files = await countChanges(run)
  return {
    iteration,
    tokens: spent.tokens,
    inputTokens: inputTokensOf(spent),
    outputTokens: outputTokensOf(spent),
    costMicros: spent.costMicros,
    elapsedMs: Math.round(state.activeMs),
    filesChanged: files.length,
    sealedTouched: files.filter((file) => ports.isSealed?.(file) === true).length,
    verified: isVerified(state) ? 1 : 0,
    level: ports.level ?? 2,
  }
}

const isVerified = ({ certificate, tree }: RunState): boolean =>
  certificate !== undefined && certificate.tree === tree

async function countChanges({ ports, recorder }: LiveRun): Promise<readonly string[]> {
  const { baseTree, tree } = recorder.state
  if (baseTree === undefined || tree === undefined || baseTree === tree) return []
  return (await ports.workspace?.changes?.(baseTree, tree)) ?? []
}
