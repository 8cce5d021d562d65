/**
 * Asks the policy and journals its answer. `decide` reads the answer from the state, so a resumed run does not ask again
 * about an iteration that was already ruled on (E2).
 *
 * An answer that allows shares a commit with what it allows: nothing starts before it is on disk.
 */

import {
  defined,
  isDenied,
  type PolicyContext,
  type PolicyDecided,
  type PolicyRequest,
  type PolicyRuling,
  type RunId,
  type StepId,
  type TreeId,
  toPolicyContext,
} from '../loop/index.ts'
import type { LiveRun } from './live-run.ts'
import type { Policy, Ports, Tools } from './ports.ts'
import type { Recorder } from './recorder.ts'

/** What asking needs of a run. */
export interface AskingRun {
  readonly id: RunId
  readonly ports: Pick<Ports, 'policy' | 'workspace' | 'isSealed' | 'level'>
  readonly recorder: Pick<Recorder, 'state' | 'record' | 'note'>
}

/** Before an iteration starts. */
export async function askPolicy(run: AskingRun, iteration: number): Promise<void> {
  const judged = await judge(run, iteration, { action: 'iterate' })
  const event = toEvent(run, judged, { action: 'iterate', iteration })
  if (judged.ruling.decision === 'deny') await run.recorder.record([event])
  else run.recorder.note([event])
}

/** What a step asks: about a tool or an action. */
export type StepRequest = Pick<PolicyRequest, 'action' | 'agent' | 'tool' | 'actionKind'>

/** The answer is on disk when this resolves. Undefined: no policy applies. */
export async function askPolicyInStep(
  run: AskingRun,
  iteration: number,
  step: StepId,
  request: StepRequest,
): Promise<PolicyRuling | undefined> {
  if (run.ports.policy === undefined) return undefined
  const judged = await judge(run, iteration, request)
  await run.recorder.record([toEvent(run, judged, { ...askedIn(request), iteration, step })])
  return judged.ruling
}

/**
 * Immediately before an action is performed: a person may have changed the policy while its question was open. Only a
 * denial is recorded, because the gate has recorded that it was allowed. Undefined: not denied.
 */
export async function findActionDenial(
  run: AskingRun,
  iteration: number,
  step: StepId,
  actionKind: string,
): Promise<string | undefined> {
  if (run.ports.policy === undefined) return undefined
  const request: StepRequest = { action: 'act', actionKind }
  const judged = await judge(run, iteration, request)
  if (!isDenied(judged.ruling)) return undefined
  await run.recorder.record([toEvent(run, judged, { ...askedIn(request), iteration, step })])
  return describeDenial(judged.ruling)
}

export const describeDenial = ({ reason, rules }: PolicyRuling): string =>
  reason ?? `the policy denies it (${rules.join(', ') || 'no rule'})`

/** The answer about a tool call. An answer that allows is part of the note of the call. */
export interface ToolRuling {
  readonly isDenied: boolean
  readonly rules: readonly string[]
  readonly reason?: string
}

/** Calls of an unattended run are judged as `callToolUnattended`. Undefined: no policy applies. */
export async function askPolicyAboutTool(
  run: LiveRun,
  at: { readonly iteration: number; readonly step: StepId; readonly agent?: string },
  tools: Tools,
  name: string,
): Promise<ToolRuling | undefined> {
  if (run.ports.policy === undefined) return undefined
  return askPolicyAboutCall(run, at, { name, risk: await riskOf(tools, name) })
}

/** Commands of the loop are judged as calls of this tool: it works in a copy, so that repeating it changes nothing. */
const commandTool = { name: 'command', risk: 'idempotent' } as const

export const askPolicyAboutCommand = (
  run: LiveRun,
  at: { readonly iteration: number; readonly step: StepId },
): Promise<ToolRuling | undefined> => askPolicyAboutCall(run, at, commandTool)

async function askPolicyAboutCall(
  run: LiveRun,
  at: { readonly iteration: number; readonly step: StepId; readonly agent?: string },
  tool: { readonly name: string; readonly risk: string },
): Promise<ToolRuling | undefined> {
  if (run.ports.policy === undefined) return undefined
  const { iteration, step, agent } = at
  const isAttended = run.recorder.state.sandbox?.attended === true
  const request: StepRequest = {
    action: isAttended ? 'callTool' : 'callToolUnattended',
    tool,
    ...defined({ agent }),
  }
  const judged = await judge(run, iteration, request)
  const { ruling } = judged
  if (ruling.decision === 'deny') {
    await run.recorder.record([toEvent(run, judged, { ...askedIn(request), iteration, step })])
  }
  const { rules, reason } = ruling
  return { isDenied: isDenied(ruling), rules, ...defined({ reason }) }
}

const risks = new WeakMap<Tools, ReadonlyMap<string, string>>()

/** A tool that is not listed counts as destructive. */
async function riskOf(tools: Tools, name: string): Promise<string> {
  const known = risks.get(tools)?.get(name)
  if (known !== undefined) return known
  const listed = (await tools.list?.()) ?? []
  const read = new Map(listed.map((tool) => [tool.name, tool.risk as string]))
  risks.set(tools, read)
  return read.get(name) ?? 'destructive'
}

type Asked = Pick<PolicyDecided, 'action' | 'iteration' | 'step' | 'resource'>

function askedIn({ action, tool, actionKind }: StepRequest): Pick<Asked, 'action' | 'resource'> {
  return { action, ...defined({ resource: tool?.name ?? actionKind }) }
}

const toEvent = (
  { recorder }: AskingRun,
  { ruling, context }: Judged,
  asked: Asked,
): PolicyDecided => ({
  type: 'policy-decided',
  ...asked,
  ...ruling,
  policy: recorder.state.policy?.digest ?? '',
  context,
})

interface Judged {
  readonly ruling: PolicyRuling
  readonly context: PolicyContext
}

async function judge(run: AskingRun, iteration: number, request: StepRequest): Promise<Judged> {
  const context = await policyContext(run, iteration)
  const { loop } = run.recorder.state
  const ruling = rule(run.ports.policy, { ...request, loop, run: run.id, context })
  return { ruling, context }
}

/** If the policy fails, the request is denied: its rules could not be applied. */
function rule(policy: Policy | undefined, request: PolicyRequest): PolicyRuling {
  if (policy === undefined) return { decision: 'deny', rules: [], reason: 'the policy is missing' }
  try {
    return policy.judge(request)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const reason = `the policy could not be evaluated: ${message}`
    return { decision: 'deny', rules: [], reason, errors: [message] }
  }
}

async function policyContext(run: AskingRun, iteration: number): Promise<PolicyContext> {
  const { recorder, ports } = run
  const { state } = recorder
  const { changed, sealed } = await countChanges(run)
  return toPolicyContext(state, {
    iteration,
    tree: state.tree,
    filesChanged: changed,
    sealedTouched: sealed,
    level: ports.level ?? 2,
  })
}

interface Changes {
  readonly base: TreeId | undefined
  readonly tree: TreeId | undefined
  readonly changed: number
  readonly sealed: number
}

/** Cached for the last tree, because comparing trees takes longer than a decision. */
const lastChanges = new WeakMap<AskingRun['recorder'], Changes>()

async function countChanges({ ports, recorder }: AskingRun): Promise<Changes> {
  const { baseTree: base, tree } = recorder.state
  const last = lastChanges.get(recorder)
  if (last !== undefined && last.base === base && last.tree === tree) return last
  const isSame = base === undefined || tree === undefined || base === tree
  const files = isSame ? [] : ((await ports.workspace?.changes?.(base, tree)) ?? [])
  const sealed = files.filter((file) => ports.isSealed?.(file) === true).length
  const counted = { base, tree, changed: files.length, sealed }
  lastChanges.set(recorder, counted)
  return counted
}
