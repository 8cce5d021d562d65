/** What the phases of a tuning loop share. */

import type { Iteration } from '../../loop/index.ts'
import type { LoopPorts } from '../loop-ports.ts'

export type TuneMode = 'precision' | 'exploration' | 'convergence'

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
  /** Who proposes changes: an agent, or the search over the knobs of the manifest. */
  readonly composer: 'agent' | 'search'
  readonly ports?: LoopPorts
}

/**
 * When the loop changes the user's files. `ask`: a person decides, as about any action. `proven`: if the proof says "improved".
 * `kept`: also what is only kept. `never`.
 */
export type ApplyPolicy = 'ask' | 'proven' | 'kept' | 'never'

export interface TuneInput {
  readonly manifest: { readonly path: string; readonly text: string }
  /** One case, by its path. Absent: all of them. */
  readonly case?: string
}

export interface TuneSession {
  readonly it: Iteration
  readonly settings: TuneSettings
  readonly input: TuneInput
}
