/** What the steps of one round share. */

import type { Action, Iteration, Level, TreeId } from '../../loop/index.ts'
import type {
  RoundAgent,
  RoundChecker,
  RoundDecision,
  RoundOutcome,
  RoundProposal,
  RoundReceipt,
  RoundVerification,
} from '../../protocol/round/round-report.ts'
import type { GatheredSource } from '../context/gather.ts'
import type { RecalledMemory } from '../loop-ports.ts'
import type { RoundPrompts } from './round-prompts.ts'
import type { RoundInput, RoundSettings } from './round-settings.ts'

export interface RoundContext {
  readonly input: RoundInput
}

export interface RoundSession extends RoundContext {
  readonly it: Iteration
  readonly settings: RoundSettings
  readonly prompts: RoundPrompts
  readonly begun: Begun
}

/** The result of the first step. */
export interface Begun {
  readonly level: Level
  readonly startedAtMs: number
  /** The files before the maker. Null: the run has no workspace. */
  readonly tree: TreeId | null
}

/** What a round knows before its maker works. */
export interface RoundSources {
  readonly memories: readonly RecalledMemory[]
  readonly gathered: readonly GatheredSource[]
}

/** What a round found so far: the report contains all of it. */
export interface RoundFindings {
  readonly recalled: readonly string[]
  readonly warnings: readonly string[]
  readonly maker?: RoundAgent
  readonly checker?: RoundChecker
  readonly filesChanged: readonly string[]
  readonly verified: RoundVerification
  readonly proposed?: RoundProposal
  readonly decision?: RoundDecision
  readonly action?: RoundReceipt
}

/** How it ends, with everything that it found. */
export interface RoundEnd {
  readonly outcome: RoundOutcome
  readonly found: RoundFindings
  /** A person was asked, or the question was answered in another way. */
  readonly decided?: true
}

/** What is proposed, and what its gate is asked about. */
export interface Proposal {
  readonly action: Action
  readonly summary: string
}

export const notVerified = (reason: string): RoundVerification => ({ type: 'unverified', reason })

/** The words of the gate for a proposal whose checker did not pass. */
export const checkerDidNotVerify = 'checker did not verify the work'
