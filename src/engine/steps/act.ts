/**
 * Requests an action: a change outside of the workspace. The level, the policy and the gate are asked first, in one step
 * that records what they saw and what they said.
 *
 * E6. An action is performed only after its gate allowed it. A policy can only forbid.
 * E9. A gate that fails, or does not answer in time, denies.
 */

import {
  type Action,
  type ActionFacts,
  defined,
  FaultError,
  type GateRecord,
  isDenied,
  LoopError,
  levelNames,
  type Receipt,
  type RecordedFacts,
  type StepId,
  textOf,
} from '../../loop/index.ts'
import { runBounded } from '../bounded.ts'
import { Interruption } from '../interrupter.ts'
import { type Branch, isInfrastructure, type LiveRun } from '../live-run.ts'
import { askPolicyInStep, describeDenial } from '../policy.ts'
import type { Verdict } from '../ports.ts'
import { askPerson } from './ask-person.ts'
import { askStep } from './ask-step.ts'
import { performAction, refused } from './perform-action.ts'

const outsideShownMax = 10

export async function act(branch: Branch, action: Action): Promise<Receipt> {
  if (branch.iteration.run.ports.actions === undefined) {
    throw new LoopError(
      'not-configured',
      `This run cannot perform actions, but the loop requests "${action.kind}". Pass actions when you start the run.`,
    )
  }
  const verdict = (await askStep(branch, {
    kind: 'gate',
    name: action.kind,
    options: {},
    files: 'nothing',
    run: (_context, step) => judge(branch, action, step),
  })) as unknown as GateRecord
  if (verdict.type === 'deny') return refused(verdict.reason ?? 'the gate denied it')
  // Any other verdict is not a permission.
  if (verdict.type !== 'allow' && verdict.type !== 'ask') return refused('the gate gave no verdict')
  if (verdict.type === 'ask') {
    const { answer } = await askPerson(branch, `allow ${action.kind}`, {
      text: `${action.summary}\n${verdict.reason ?? ''}`,
      options: ['allow', 'refuse'],
      default: 'refuse',
      kinds: { accept: 'allow', reject: 'refuse', respond: 'refuse' },
      evidence: { happened: [action.summary, verdict.reason ?? ''].filter((one) => one !== '') },
    })
    if (answer !== 'allow') return refused('a person did not allow it')
  }
  return performAction(branch, action)
}

async function judge(branch: Branch, action: Action, step: StepId): Promise<GateRecord> {
  const { run, number } = branch.iteration
  const ruling = await askPolicyInStep(run, number, step, {
    action: 'act',
    actionKind: action.kind,
  })
  const policy = defined({ policy: ruling?.rules })
  const facts: ActionFacts = { ...(await readFacts(run)), ...policy }
  const record = { action, facts: shorten(facts), ...policy }
  if (ruling !== undefined && isDenied(ruling)) {
    return { type: 'deny', rule: 'policy', reason: describeDenial(ruling), ...record }
  }
  if (facts.level === 1) {
    const reason = `the level is ${levelNames[1]}: actions are reported, not performed`
    return { type: 'deny', rule: 'level', reason, ...record }
  }
  return { ...(await askGate(branch, action, step, facts)), ...record }
}

/** A gate may ask another service, but no person: for that it answers `ask`. */
const gateMsMax = 600_000

async function askGate(
  branch: Branch,
  action: Action,
  step: StepId,
  facts: ActionFacts,
): Promise<Verdict> {
  const { run, number, interrupter } = branch.iteration
  const { gate, clock } = run.ports
  if (gate === undefined) return noGate
  try {
    return await runBounded(
      () => gate.judge(action, { iteration: number, step }, facts),
      gateMsMax,
      interrupter,
      clock,
    )
  } catch (error) {
    const isFatal = error instanceof FaultError && error.fault.fatal === true
    const isOurs = error instanceof Interruption || isInfrastructure(error)
    if (interrupter.aborted.aborted || isOurs || isFatal) throw error
    return { type: 'deny', reason: `the gate failed: ${textOf(error)}`, rule: 'gate' }
  }
}

const noGate: Verdict = { type: 'deny', reason: 'no gate is configured', rule: 'no-gate' }

async function readFacts({ ports, recorder }: LiveRun): Promise<ActionFacts> {
  const { baseTree, tree, certificate, spent } = recorder.state
  const isChanged = baseTree !== undefined && tree !== undefined && baseTree !== tree
  const files = isChanged ? ((await ports.workspace?.changes?.(baseTree, tree)) ?? []) : []
  const outsideScope = isChanged ? await ports.outsideScope?.(files, baseTree) : []
  return {
    level: ports.level ?? 2,
    verified: certificate !== undefined && certificate.tree === tree,
    files,
    spent,
    ...defined({ outsideScope }),
  }
}

const shorten = ({ level, verified, files, spent, outsideScope }: ActionFacts): RecordedFacts => ({
  level,
  verified,
  filesChanged: files.length,
  tokens: spent.tokens,
  costMicros: spent.costMicros,
  ...defined({ outsideScope: outsideScope?.slice(0, outsideShownMax) }),
})
