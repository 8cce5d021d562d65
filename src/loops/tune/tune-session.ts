/** What the phases of a tuning loop share. */

import type { Iteration } from '../../loop/index.ts'
import type { LoopPorts } from '../loop-ports.ts'
import type { Answers } from './answers.ts'
import type { CapturedText } from './captured-text.ts'
import type { TuneMode } from './modes.ts'
import type { Shown } from './shown.ts'

export interface TuneSettings {
  readonly name: string
  readonly version?: string
  /** From the root of the workspace. */
  readonly manifest: string
  readonly mode: TuneMode
  /** Who picks among the options: a person, or the policy, which races them. */
  readonly pick: 'ask' | 'policy'
  readonly apply: ApplyPolicy
  readonly search: { readonly passes: number }
  /** The commands of the manifest reach models through the gateway. */
  readonly models: boolean
  /** Who proposes changes: an agent, or the search over the knobs of the manifest. */
  readonly composer: 'agent' | 'search'
  /** An agent judges outputs besides the commands of the manifest. */
  readonly isReviewed: boolean
  readonly ports?: LoopPorts
}

/**
 * When the loop changes the user's files. `ask`: a person decides, as about any action. `proven`: if the proof says "improved".
 * `kept`: also what is only kept. `never`.
 */
export type ApplyPolicy = 'ask' | 'proven' | 'kept' | 'never'

export interface TuneInput {
  /** An empty text: there is none, and the interrogation makes one. */
  readonly manifest: CapturedText
  /** Only these cases, by their paths. Empty: all of them. */
  readonly cases: readonly string[]
  /** A LOOP_PLAN.md that replaces the planning. */
  readonly plan?: CapturedText
  /** A LOOP_LOG.md to continue from. */
  readonly log?: CapturedText
  /** A LOOP_REQUEST.md that this job answers. */
  readonly request?: CapturedText
  readonly answers?: CapturedText
  /** How the user describes a custom mode. */
  readonly framing?: string
}

export interface TuneSession {
  readonly it: Iteration
  readonly settings: TuneSettings
  readonly input: TuneInput
  readonly answers: Answers
  /** What this iteration has shown so far. */
  readonly shown: Shown
}
