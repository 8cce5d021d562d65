/**
 * What the schema of a loop file has to know of a loop type. The types themselves are in `loops/`, which this
 * folder does not see: they are passed in.
 */

import type { z } from 'zod'
import type { RoleAppearance } from '../../loop/index.ts'
import type { JsonObject } from '../values.ts'
import type { ActionSettings, ProposalSettings } from './action-settings.ts'
import type { DeliverySink } from './deliver-schema.ts'
import type { GatherSource } from './gather-schema.ts'
import type { FileProblem, LoopFile, PromptSection } from './loop-file.ts'

export interface LoopFileType<Settings = unknown> {
  /** What a loop file writes as `loop`. */
  readonly name: string
  /** What it does, in a sentence. Shown by editors. */
  readonly description: string
  /** The agents that it works with, by role; `any`: only its code knows. */
  readonly roles: AgentRoles | 'any'
  /** Roles that a file with these settings does not use: they fall back to no agent. */
  unusedRoles?(settings: Settings): readonly string[]
  /** `until` of a file that has none, as a file writes it. */
  readonly until: readonly JsonObject[]
  /** The keys of a loop file that belong to this type. Not one of the keys that every loop file has. */
  readonly keys: { readonly [Key in keyof Settings]-?: z.ZodType<Settings[Key]> }
  /** Those of its keys that are prompts: their templates may be in separate files. */
  prompts?(settings: Settings): { readonly [key: string]: readonly PromptSection[] }
  /** Fills in what a file of this type may leave out; sees the file before it is checked. */
  complete?(written: JsonObject): JsonObject
  /** Those of its keys that `complete` can fill in, so that only some files need them. */
  readonly completes?: readonly string[]
  /** Its runs have one iteration. */
  readonly once?: true
  /** What happens once the work is certified, if a file lists nothing. */
  readonly actions?: readonly ActionSettings[]
  /**
   * At level 1 its agents may only read, and reach nothing but their models and our tools. At level 3 it needs a strong
   * sandbox, also if a person watches.
   */
  readonly readsAtLevel1?: true
  /** The action that its runs propose once their work is verified. */
  proposes?(settings: Settings): ProposalSettings
  /** Certified work may be merged into the branch that the type chooses, without a person, from level 2. */
  readonly mergesWhenCertified?: true
  /** The sources outside of the files that its runs read. They are what a schedule compares before it starts one. */
  gathers?(settings: Settings): readonly GatherSource[]
  /** Where the reports of its runs go. */
  delivers?(settings: Settings): readonly DeliverySink[]
  /** What its schema cannot say: that its keys fit each other and the rest of the file. */
  problems?(file: Unnamed<LoopFile<Settings>>): readonly FileProblem[]
}

/** A file without a name is named after itself. */
export type Unnamed<File extends LoopFile> = Omit<File, 'name'> & { readonly name?: string }

export type AgentRoles = { readonly [role: string]: AgentRole }

export interface AgentRole extends RoleAppearance {
  /** What it does, as a phrase: "does the work". */
  readonly description: string
  /** `read`: it may read the workspace, and changes nothing. */
  readonly access: 'write' | 'read'
  /** It works in an empty folder and without tools: its prompt is all that it can read. */
  readonly sees?: 'prompt'
  /** If the file names no agent for this role: it is refused, has none, or uses the agent of another role. */
  readonly absent: 'refused' | 'allowed' | { readonly sameAs: string }
}

/** The role that the key `agent` is the short form of. */
export const makerRole = 'maker'
