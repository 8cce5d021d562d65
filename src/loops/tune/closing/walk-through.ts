/** The closing walk-through: what becomes of each case that still fails is decided by a person, one by one. */

import { failingNow } from '../compose/search-composer.ts'
import { askWhich } from '../questions.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Ended } from '../tune-state.ts'

export interface WalkedCase {
  readonly id: string
  readonly decision: WalkDecision
}

const decisions = ['keep for the next loop', 'hand over', 'accept as it is', 'stop here'] as const
type WalkDecision = Exclude<(typeof decisions)[number], 'stop here'>

const casesMax = 30

export async function walkThrough(
  session: TuneSession,
  ended: Ended,
): Promise<readonly WalkedCase[]> {
  const failing = failingNow(ended).slice(0, casesMax)
  if (failing.length === 0) return []
  const texts = new Map(ended.incumbent.critiques.map(({ id, text }) => [id, text]))
  const answer = await askWhich(session, 'walk through', {
    text: 'Iteration complete. Walk through remaining issues and recommendations?',
    options: ['walk through', 'done'],
    default: 'done',
    policy: 'done',
    happened: failing.map((id) => `${id}: ${texts.get(id) || 'no reason given'}`),
  })
  if (answer === 'done') return []
  const walked: WalkedCase[] = []
  for (const [at, id] of failing.entries()) {
    const decision = await askWhich(session, `walk ${at + 1}`, {
      text: `${id} still fails: ${texts.get(id) || 'no reason given'}. What becomes of it?`,
      options: decisions,
      default: 'keep for the next loop',
      policy: 'keep for the next loop',
      happened: [],
    })
    if (decision === 'stop here') break
    walked.push({ id, decision })
  }
  return walked
}
