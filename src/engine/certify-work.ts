/**
 * Calls the certifier in steps of the iteration: `certify:…`, and `ask:…` for a person's decisions.
 *
 * E5. Only the tree on which the condition was met is certified; if the files have changed since, the
 *     work is refused. E9. The number of questions of one certification is limited.
 */

import {
  type CertificateId,
  type Claim,
  defined,
  type Fault,
  FaultError,
  type Refusal,
  type RunState,
  type StepContext,
  type StepId,
} from '../loop/index.ts'
import { runBounded } from './bounded.ts'
import type { Certification, CertifyContext, GivenAnswer, Subject } from './certifier.ts'
import type { Branch } from './live-run.ts'
import type { Meter } from './meter.ts'
import type { CommittedWork } from './ports.ts'
import { askPerson } from './steps/ask-person.ts'
import { askStep } from './steps/ask-step.ts'
import { agentContext } from './steps/tool-calls.ts'

export type CertifyEnd =
  | { readonly type: 'certified'; readonly certificate: CertificateId }
  | { readonly type: 'refused'; readonly refusals: readonly Refusal[] }
  /** The certifier itself failed. Counts as an error, so that it is not retried forever. */
  | { readonly type: 'failed'; readonly fault: Fault; readonly refusals: readonly Refusal[] }

const questionsMax = 5

export async function certifyWork(
  branch: Branch,
  claim: Claim,
  kept: CommittedWork | undefined,
): Promise<CertifyEnd> {
  const answers: GivenAnswer[] = []
  while (true) {
    let found: Certification
    try {
      found = await certifyOnce(branch, claim, kept, [...answers])
    } catch (error) {
      // Reaching a limit ends the run as exhausted.
      if (!(error instanceof FaultError) || error.fault.limit !== undefined) throw error
      // More work would not change it.
      if (error.fault.code === 'dependencies-failed') throw error
      const { code, message } = error.fault
      const fault: Fault = { code, message: `Certifying failed: ${message}`, retryable: false }
      return { type: 'failed', fault, refusals: [{ code: 'error', message: fault.message }] }
    }
    if (found.type !== 'asks') return found
    if (answers.length >= questionsMax) return refuse('unclear', unsettled)
    const { key, question } = found
    answers.push({ key, ...(await askPerson(branch, key, question)) })
  }
}

const unsettled = `Certification is still undecided after ${questionsMax} questions.`

const refuse = (code: string, message: string): Certification & { readonly type: 'refused' } => ({
  type: 'refused',
  refusals: [{ code, message }],
})

async function certifyOnce(
  branch: Branch,
  claim: Claim,
  kept: CommittedWork | undefined,
  answers: readonly GivenAnswer[],
): Promise<Certification> {
  const { ports, recorder } = branch.iteration.run
  const { tree } = claim
  const isOther = (): boolean => recorder.state.tree !== tree
  const found = await askStep(branch, {
    kind: 'certify',
    name: stepName(claim.met.condition),
    claim,
    options: {},
    // Changes to the files in the meantime are not part of what is certified.
    files: 'reads',
    run: async (context, step, meter) =>
      isOther()
        ? refuse('tree-changed', 'The files changed while a person was being asked about them.')
        : ports.certifier.certify(
            await subjectOf(branch, claim, kept, answers),
            contextOf(branch, step, context, meter),
          ),
    finished: (result) => {
      const answer = result as unknown as Certification
      if (answer.type !== 'certified') return {}
      return { certificate: { id: answer.certificate, ...defined({ tree }) } }
    },
  })
  return found as unknown as Certification
}

/** A condition can have any name, a step cannot. */
const stepName = (condition: string): string =>
  condition
    .replaceAll(/[/#\p{Cc}]/gu, '-')
    .slice(0, 200)
    .trim() || 'work'

async function subjectOf(
  branch: Branch,
  { met: { condition }, checks }: Claim,
  kept: CommittedWork | undefined,
  answers: readonly GivenAnswer[],
): Promise<Subject> {
  const { run, number } = branch.iteration
  const { state } = run.recorder
  const { name } = await run.ports.journal.findRun(run.id)
  const { loop, codeDigest, evidence, spent, limits, activeMs } = state
  return {
    run: run.id,
    name,
    loop,
    codeDigest,
    iteration: number,
    condition,
    checks,
    evidence,
    spent,
    limits,
    activeMs,
    answers,
    ...knownOf(state),
    ...defined({ commit: kept?.commit }),
  }
}

function knownOf(
  state: RunState,
): Pick<Subject, 'source' | 'allows' | 'tree' | 'base' | 'agent' | 'sandbox' | 'policy'> {
  const { source, allows, tree, baseTree: base, agent, sandbox } = state
  const policy = policyOf(state)
  return defined({ source, allows, tree, base, agent, sandbox, policy })
}

function policyOf({ policy, ruling }: RunState): Subject['policy'] {
  if (policy === undefined) return undefined
  const rules = ruling?.decision === 'allow' ? ruling.rules : undefined
  return { digest: policy.digest, ...defined({ rules }) }
}

/** The work of judges and consultants is part of this step: metered and noted like any agent's work. */
function contextOf(
  branch: Branch,
  step: StepId,
  context: StepContext,
  meter: Meter,
): CertifyContext {
  const { number, run, interrupter } = branch.iteration
  const used = { notes: 0, calls: 0 }
  const own = agentContext(branch, step, context, { used })
  return {
    ...context,
    step,
    iteration: number,
    work: async (agents, role, task, workspace, { timeoutMs } = {}) => {
      const metered = { ...context, reserve: meter.reserveFor(role) }
      const agent = agentContext(branch, step, metered, { agent: role, role, used })
      return runBounded(
        (signal) => agents.work(role, task, { ...agent, signal, workspace }),
        timeoutMs,
        interrupter,
        run.ports.clock,
      )
    },
    callTool: own.callTool,
    note: (text) => own.note({ type: 'said', text }),
  }
}
