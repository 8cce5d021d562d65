/**
 * One round of a chore: one run, one iteration.
 *
 *   iteration
 *   ├─ begin            the level and the files before
 *   ├─ recall           what earlier rounds left; a failing memory only warns
 *   ├─ gather           history, issues, CI: read before the maker works, data for its prompt
 *   ├─ prompt           bounded, recorded
 *   ├─ agent:maker      works; at level 1 it can only read
 *   ├─ changes          the files that it changed, and what was spent
 *   ├─ check:…          if it changed files
 *   ├─ check-prompt     with a new token
 *   ├─ agent:checker    a separate process with a fresh context, which never writes
 *   ├─ verdict          parsed; an answer in any other form is unclear
 *   ├─ certify:…        if files changed and the checker passed
 *   ├─ gate:…           also at level 1, where nothing follows from it
 *   ├─ remember, report for a proposal that a person has to decide about, before they are asked
 *   ├─ ask:allow …      if a person has to decide
 *   ├─ action:…         what was proposed
 *   └─ remember, report
 *
 * E5. It completes if it reported or acted on certified work, or on no changed file: then there is nothing to certify.
 * E6. The gate decides; a proposal that was not verified always needs a person. E7. The checker never writes.
 */

import type { Condition, LoopType } from '../../loop/index.ts'
import {
  type RoundBudgetLimit,
  type RoundOutcome,
  roundLoopType,
} from '../../protocol/round/round-report.ts'
import { playRound } from './play-round.ts'
import { createRoundPrompts, type RoundPrompts } from './round-prompts.ts'
import type { RoundContext } from './round-session.ts'
import type { RoundInput, RoundSettings } from './round-settings.ts'

/** How the round ended. */
export interface RoundProgress {
  readonly outcome: RoundOutcome
}

export type RoundResult = RoundProgress

/** A round of a chore, for use in code. Made by `roundLoop`. */
export type RoundLoop = LoopType<RoundInput, RoundContext, RoundProgress, RoundResult>

/** One round of a chore: a maker, a checker, a gate and one action. */
export function roundLoop(settings: RoundSettings): RoundLoop {
  let prompts: Promise<RoundPrompts> | undefined
  return {
    name: settings.name,
    version: settings.version ?? JSON.stringify({ ...settings, ports: undefined }),
    revision: 1,
    type: roundLoopType,
    keepsWorktree: 'if-changed',
    roles: {
      maker: { label: 'maker', reports: true, phase: 'implementation' },
      checker: { label: 'checker', phase: 'review' },
    },
    createContext: (input) => ({ input: input ?? {} }),
    async iterate({ input }, it) {
      prompts ??= createRoundPrompts(settings.prompt, settings.checkerPrompt)
      return { outcome: await playRound({ input, it, settings, prompts: await prompts }) }
    },
    extractProgress: ({ outcome }) => ({ outcome }),
    until: conditions,
  }
}

const endsWith = (
  type: RoundOutcome['type'],
): Pick<
  Extract<Condition<RoundProgress, RoundResult>, { type: 'custom' }>,
  'type' | 'name' | 'met'
> => ({
  type: 'custom',
  name: type,
  met: (_progress, { outcome }) => outcome.type === type,
})

const budgets: Readonly<
  Record<RoundBudgetLimit, 'input-tokens' | 'output-tokens' | 'tokens' | 'cost'>
> = {
  'input-tokens': 'input-tokens',
  'output-tokens': 'output-tokens',
  'total-tokens': 'tokens',
  cost: 'cost',
}

const conditions: readonly Condition<RoundProgress, RoundResult>[] = [
  { ...endsWith('reported'), certified: 'by-loop' },
  { ...endsWith('proceeded'), certified: 'by-loop' },
  ...Object.entries(budgets).map(
    ([name, limit]): Condition<RoundProgress, RoundResult> => ({
      type: 'custom',
      name,
      met: (_progress, { outcome }) =>
        outcome.type === 'budget-exhausted' && outcome.limit === name,
      ends: 'exhausted',
      limit,
    }),
  ),
  {
    ...endsWith('escalated'),
    ends: 'stuck',
    describe: ({ outcome }) => (outcome.type === 'escalated' ? outcome.reason : ''),
  },
  // It acted on files that are not certified, because a person said so, or they have changed since.
  {
    type: 'custom',
    name: 'not-certified',
    met: () => true,
    ends: 'stuck',
    detail: 'the round ended, but its files are not certified',
  },
]
