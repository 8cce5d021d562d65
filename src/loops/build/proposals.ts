/** The question about tasks that agents added, dropped or reworded. It is asked once; the safe answer keeps the plan. */

import type { Iteration } from '../../loop/index.ts'
import { tasksMax } from './plan-grammar.ts'
import { type AgreedPlan, acceptProposals, type Proposal, type SealedPlan } from './sealed-plan.ts'

const proposalsMax = 50
const deadlineMs = 3_600_000

export const mergeProposals = (
  before: readonly Proposal[],
  found: readonly Proposal[],
): readonly Proposal[] => {
  const known = new Map([...before, ...found].map((one) => [JSON.stringify(one), one]))
  return [...known.values()].slice(0, proposalsMax)
}

/** Undefined: the plan stays as it is. */
export async function askAboutProposals(
  it: Iteration,
  plan: SealedPlan,
  proposals: readonly Proposal[],
): Promise<AgreedPlan | undefined> {
  const happened = proposals.map(describeProposal)
  const { answer } = await it.ask('plan-changes', {
    text: `The sealed tasks of ${plan.path} are settled. Agents proposed ${proposals.length} changes of the plan. Keep the plan, or accept them? New tasks are then built before the run completes.`,
    options: ['keep', 'accept'],
    default: 'keep',
    deadlineMs,
    kinds: { accept: 'accept', reject: 'keep' },
    evidence: { happened },
  })
  if (answer !== 'accept') return undefined
  const agreed = acceptProposals(plan, proposals)
  const { length } = agreed.plan.tasks
  return length === 0 || length > tasksMax ? undefined : agreed
}

function describeProposal({ change, text, before }: Proposal): string {
  return before === undefined ? `${change}: ${text}` : `${change}: ${before} -> ${text}`
}
