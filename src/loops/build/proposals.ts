/** The question about tasks that agents added, dropped or reworded. It is asked once; the safe answer keeps the plan. */

import type { Iteration } from '../../loop/index.ts'
import { acceptProposals, type Proposal, type SealedPlan } from './sealed-plan.ts'

const proposalsMax = 50
const deadlineMs = 3_600_000

export const mergeProposals = (
  before: readonly Proposal[],
  found: readonly Proposal[],
): readonly Proposal[] => {
  const known = new Map([...before, ...found].map((one) => [JSON.stringify(one), one]))
  return [...known.values()].slice(0, proposalsMax)
}

export interface AgreedPlan {
  readonly plan: SealedPlan
  /** The new number of each task by its old one. */
  readonly moved: ReadonlyMap<number, number>
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
  return agreed.tasks.length === 0
    ? undefined
    : { plan: agreed, moved: findMoved(plan, agreed, proposals) }
}

function describeProposal({ change, text, before }: Proposal): string {
  return before === undefined ? `${change}: ${text}` : `${change}: ${before} -> ${text}`
}

function findMoved(
  before: SealedPlan,
  after: SealedPlan,
  proposals: readonly Proposal[],
): ReadonlyMap<number, number> {
  const renamed = new Map(
    proposals.flatMap((one) => (one.before === undefined ? [] : [[one.before, one.text] as const])),
  )
  const moved = before.tasks.map(({ text, line }, index): readonly [number, number] => {
    const name = renamed.get(text) ?? text
    return [index, after.tasks.findIndex((task) => task.line === line && task.text === name)]
  })
  return new Map(moved.filter(([, index]) => index !== -1))
}
