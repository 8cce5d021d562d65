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
  type ActOptions,
  defined,
  FaultError,
  type GateRecord,
  isDenied,
  type Judged,
  type JudgeOptions,
  LoopError,
  levelNames,
  type Receipt,
  type RecordedFacts,
  type StepId,
  textOf,
  toJson,
} from '../../loop/index.ts'
import { runBounded } from '../bounded.ts'
import { Interruption } from '../interrupter.ts'
import { type Branch, isInfrastructure, type LiveRun } from '../live-run.ts'
import { askPolicyInStep, describeDenial } from '../policy.ts'
import type { Verdict } from '../ports.ts'
import { keepWork } from '../workspace/keep-work.ts'
import { askPerson } from './ask-person.ts'
import { askStep } from './ask-step.ts'
import { performAction, refused } from './perform-action.ts'

const outsideShownMax = 10

export async function act(
  branch: Branch,
  action: Action,
  options: ActOptions = {},
): Promise<Receipt> {
  requireActions(branch, action)
  const { judged, ask, beforeActing } = options
  const verdict =
    judged === undefined ? await decide(branch, action) : findJudged(branch, action, judged)
  if (verdict.type === 'deny') return refused(verdict.reason ?? 'the gate denied it')
  // Any other verdict is not a permission.
  if (verdict.type !== 'allow' && verdict.type !== 'ask') return refused('the gate gave no verdict')
  const isAsked = verdict.type === 'ask' || ask !== undefined
  const refusal = isAsked
    ? await askAbout(branch, action, ask ?? verdict.reason ?? '', options)
    : undefined
  if (refusal !== undefined) return refused(refusal)
  const problem = await beforeActing?.()
  if (problem !== undefined) return refused(problem)
  return performAction(branch, action, isAsked ? undefined : verdict.facts?.level)
}

/** Undefined: a person allowed it. */
async function askAbout(
  branch: Branch,
  action: Action,
  reason: string,
  { evidence, deadlineMs, about }: ActOptions,
): Promise<string | undefined> {
  const happened = [action.summary, reason].filter((one) => one !== '')
  // What the person decides about is where they look for it, such as on the branch of the run.
  await keepWork(branch.iteration)
  const { answer, text } = await askPerson(branch, `allow ${action.kind}`, {
    text: `${action.summary}\n${reason}`,
    options: ['allow', 'refuse'],
    default: 'refuse',
    kinds: { accept: 'allow', reject: 'refuse', respond: 'refuse' },
    evidence: { ...evidence, happened: [...happened, ...(evidence?.happened ?? [])] },
    ...defined({ deadlineMs, about }),
  })
  if (answer === 'allow') return undefined
  return `a person did not allow it${text === undefined ? '' : `: ${text}`}`
}

/** What the gate decides, without the action. At level 1 as well, where nothing follows from it. */
export const judge = (
  branch: Branch,
  action: Action,
  options: JudgeOptions = {},
): Promise<Judged> => decide(branch, action, { ...options, atLevel1: 'asks' })

interface DecideOptions extends JudgeOptions {
  /** Whether the gate is asked at level 1. Default: no. */
  readonly atLevel1?: 'asks'
}

async function decide(
  branch: Branch,
  action: Action,
  options: DecideOptions = {},
): Promise<Judged> {
  const judged = (await askStep(branch, {
    kind: 'gate',
    name: action.kind,
    options: {},
    files: 'nothing',
    run: async (_context, step) => ({
      ...(await judgeAction(branch, action, step, options)),
      step,
    }),
  })) as unknown as Judged
  branch.iteration.judged.set(judged.step, { action, record: judged })
  return judged
}

/** E6. Only what a gate decided in this iteration, about exactly this action. */
function findJudged(branch: Branch, action: Action, { step }: Judged): GateRecord {
  const found = branch.iteration.judged.get(step)
  if (
    found !== undefined &&
    JSON.stringify(toJson(found.action)) === JSON.stringify(toJson(action))
  ) {
    return found.record.facts?.level === 1 ? denyAtLevel1(found.record) : found.record
  }
  throw new LoopError(
    'bad-request',
    `No gate decided about this action in step "${step}". Pass what judge returned for the same action.`,
  )
}

const denyAtLevel1 = (record: GateRecord): GateRecord => ({ ...record, ...atLevel1 })

const atLevel1 = {
  type: 'deny',
  rule: 'level',
  reason: `the level is ${levelNames[1]}: actions are reported, not performed`,
} as const

function requireActions({ iteration }: Branch, { kind }: Action): void {
  if (iteration.run.ports.actions !== undefined) return
  throw new LoopError(
    'not-configured',
    `This run cannot perform actions, but the loop requests "${kind}". Pass actions when you start the run.`,
  )
}

async function judgeAction(
  branch: Branch,
  action: Action,
  step: StepId,
  { checked = false, atLevel1: asked }: DecideOptions,
): Promise<GateRecord> {
  const { run, number } = branch.iteration
  const ruling = await askPolicyInStep(run, number, step, {
    action: 'act',
    actionKind: action.kind,
  })
  const policy = defined({ policy: ruling?.rules })
  const facts: ActionFacts = { ...(await readFacts(run, checked)), ...policy }
  const record = { action, facts: shorten(facts), ...policy }
  if (ruling !== undefined && isDenied(ruling)) {
    return { type: 'deny', rule: 'policy', reason: describeDenial(ruling), ...record }
  }
  if (facts.level === 1 && asked === undefined) return { ...atLevel1, ...record }
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

async function readFacts({ ports, recorder }: LiveRun, checked: boolean): Promise<ActionFacts> {
  const { baseTree, tree, certificate, spent } = recorder.state
  const isChanged = baseTree !== undefined && tree !== undefined && baseTree !== tree
  const isCertified = certificate !== undefined && certificate.tree === tree
  const files = isChanged ? ((await ports.workspace?.changes?.(baseTree, tree)) ?? []) : []
  const outsideScope = isChanged ? await ports.outsideScope?.(files, baseTree) : []
  return {
    level: ports.level ?? 2,
    verified: isCertified || (checked && !isChanged),
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
