/** What a round is made from, by a loop file or by code that uses the library. */

import type { Action, Json, Level } from '../../loop/index.ts'
import type { GatherSource } from '../../protocol/index.ts'
import type { Gather } from '../context/gather.ts'
import type { LoopMemory, LoopPorts, Proposals } from '../loop-ports.ts'
import type { PromptSection } from '../prompt-sections.ts'
import type { MemoryKeys, PermissionKeys } from './round-keys.ts'

/** Settings of `roundLoop`. */
export interface RoundSettings {
  readonly name: string
  /** What it is for, in one sentence. */
  readonly intent: string
  /** Digest of the source of the settings. Default: the settings themselves. */
  readonly version?: string
  /** Default: 2. The level of the run applies if it is lower. */
  readonly level?: Level
  /** What the maker has to do. Default: the intent. */
  readonly prompt?: readonly PromptSection[]
  /** What the checker has to verify, besides its built-in instructions. */
  readonly checkerPrompt?: readonly PromptSection[]
  /** The action that it proposes. Default: `report`. */
  readonly propose?: Omit<Action, 'summary'>
  readonly gather?: readonly GatherSource[]
  readonly memory?: false | MemoryKeys
  readonly permissions?: PermissionKeys
  /** The names of the tools that each agent may call, of those of the run. Default: all that its level allows. */
  readonly tools?: { readonly maker?: readonly string[]; readonly checker?: readonly string[] }
  /** How many proposals about other things may wait for a person. Default: 3. */
  readonly proposals?: number
  /** How long a person has to answer. Default: 24 hours. */
  readonly deadlineMs?: number
  /** Absent: the loop is only looked at, or uses none of them. */
  readonly ports?: RoundPorts
  readonly now?: () => number
}

/** What a round uses besides its iteration. */
export interface RoundPorts
  extends Partial<Pick<LoopPorts, 'run' | 'level' | 'branch' | 'notices'>> {
  readonly memory?: LoopMemory
  readonly gather?: Gather
  readonly proposals?: Proposals
}

/** How a fact begins that says what a person decided: unlike other facts, it is something new. */
export const decidedLabel = 'decided — '

/** Values for the prompts, as `input.<name>`. */
export type RoundInput = { readonly [name: string]: Json }
